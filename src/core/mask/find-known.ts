import { type Layer, type Span, textOf } from './layer.ts'
import { canBeInEscape } from './secret-forms.ts'
import {
  addPrefixes,
  prefixPiece,
  type SecretIndex,
  shortestAnywhere,
  shortestPrefix,
} from './secret-index.ts'
import { eachWindow, hashesOf, type TextHashes, type Windows } from './text-hashes.ts'

const wordLengths = [7, 6, 5, 4]
/**
 * Where more forms of different lengths have the same first characters, 64 at least, a text that begins so is hidden
 * as far as it is the beginning of one of them.
 */
const mostLengths = 16
const longBeginning = 64

/** A text that is searched. */
interface Searched {
  readonly index: SecretIndex
  readonly layer: Layer
  readonly hashes: TextHashes
  readonly isError: boolean
}

/**
 * Reports every part of a text that is a known form. In an error it reports also the first characters of a secret, since
 * no later step computes with an error. The time depends neither on how many are known nor on how long they are.
 */
export function findKnown(
  index: SecretIndex,
  layer: Layer,
  isError: boolean,
  found: (start: number, end: number) => void,
): void {
  const { codes } = layer
  const searched: Searched = { index, layer, hashes: hashesOf(codes), isError }
  const starts = new Set<number>()
  const findWith = (windows: Windows, secretFrom: (start: number) => Span | undefined): void => {
    let covered = 0
    eachWindow(windows, codes, (start) => {
      const span = secretFrom(start)
      if (span === undefined || span.end <= covered) return
      found(span.start, span.end)
      covered = span.end
      starts.add(start)
    })
  }
  findWith(index.words, (start) => firstSecret(searched, start, wordLengths))
  findWith(index.texts, (start) => textAt(searched, start))
  if (!isError) return
  addPrefixes(index)
  eachWindow(index.prefixes, codes, (start) => {
    // A whole secret ends where it ends: what follows is none of it.
    if (starts.has(start)) return
    for (const end of prefixesAt(searched, start)) found(start, endOfPiece(codes, end))
  })
}

/** The secret that this part of a text is, with the escape that has one end of it. */
function secretAt({ index, hashes, layer, isError }: Searched, start: number, end: number): Span | undefined {
  if (end > layer.codes.length) return undefined
  const part = hashes.part(start, end)
  const isAnywhere = index.whole.get(part)
  if (isAnywhere || (isAnywhere === false && (isError || standsAlone(layer, start, end))))
    return { start, end }
  // What was left out, such as a line break, is no part of the secret.
  if (canBeInEscape(index.lacksBegin.get(part), layer, start, start - 1))
    return { start: layer.isEscape(start - 1) ? start - 1 : start, end }
  if (canBeInEscape(index.lacksEnd.get(part), layer, end, end))
    return { start, end: layer.isEscape(end) ? end + 1 : end }
  return undefined
}

/** The first of these parts that is a secret. */
function firstSecret(searched: Searched, start: number, lengths: readonly number[]): Span | undefined {
  for (const length of lengths) {
    const found = secretAt(searched, start, start + length)
    if (found) return found
  }
  return undefined
}

/** The longest known form that begins here. */
function textAt(searched: Searched, start: number): Span | undefined {
  const { index, layer, hashes } = searched
  let found: Span | undefined
  for (let size = shortestAnywhere; start + size <= layer.codes.length; size *= 2) {
    const lengths = index.lengths.get(hashes.part(start, start + size))
    if (lengths === undefined) break
    if (size < longBeginning || lengths.length <= mostLengths) {
      found = firstSecret(searched, start, lengths) ?? found
      continue
    }
    addPrefixes(index)
    const length = Math.max(...prefixesAt(searched, start)) - start
    const longer = [3, 2, 1].map((more) => length + more)
    return firstSecret(searched, start, longer) ?? { start, end: start + length }
  }
  return found
}

/** Where what secrets begin with ends: it is compared in pieces, with a search by halves. */
function* prefixesAt({ index, layer, hashes }: Searched, start: number): Generator<number> {
  const { length } = layer.codes
  if (start + shortestPrefix > length) return
  for (const first of index.firstPrefixes.get(hashes.part(start, start + shortestPrefix)) ?? []) {
    const isPrefix = (pieces: number): boolean => {
      const end = start + first + pieces * prefixPiece
      return end <= length && index.knownPrefixes.has(hashes.part(start, end))
    }
    if (!isPrefix(0)) continue
    let pieces = 0
    let step = 1
    for (; isPrefix(pieces + step); step *= 2) pieces += step
    for (; step >= 1; step /= 2) if (isPrefix(pieces + step)) pieces += step
    yield start + first + pieces * prefixPiece
  }
}

/** A little later, since pieces are compared whole: what can belong to the next piece, in the same decoded run. */
function endOfPiece(codes: Uint16Array, end: number): number {
  const rest = /^[^\s+\uffff]*/.exec(textOf(codes.subarray(end, end + prefixPiece - 1)))
  return end + (rest?.[0].length ?? 0)
}

/** Whether nothing stands around the part that could belong to the same word or number. */
function standsAlone({ codes, isBroken }: Layer, start: number, end: number): boolean {
  const isJoined = (at: number): boolean =>
    at > 0 && at < codes.length && !isBroken(at) && isWordlike(codes, at - 1) && isWordlike(codes, at)
  const isAfterEscape = /^\\[nrtbf]$/.test(textOf(codes.subarray(Math.max(start - 2, 0), start)))
  return (isAfterEscape || !isJoined(start)) && !isJoined(end)
}

function isWordlike(codes: Uint16Array, at: number): boolean {
  return /[\p{L}\p{N}_]/u.test(textOf(codes.subarray(at, at + 1)))
}
