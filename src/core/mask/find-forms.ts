import { isBroken, isEscape, type Layer, type Span, textOf } from './layer.ts'
import { canHold } from './secret-forms.ts'
import { prefixPiece, type SecretIndex, shortestPrefix } from './secret-index.ts'
import { eachWindow, hashesOf, type PartHash } from './text-hashes.ts'

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
  readonly hashOf: PartHash
  readonly isError: boolean
}

/**
 * Reports every part of a text that is a known form. In an error it reports also the first characters of a secret, since
 * no later step computes with an error. The time depends neither on how many are known nor on how long they are.
 */
export function findForms(
  index: SecretIndex,
  layer: Layer,
  isError: boolean,
  found: (start: number, end: number) => void,
): void {
  const searched: Searched = { index, layer, hashOf: hashesOf(layer.codes), isError }
  for (const windows of [index.words, index.texts]) {
    let covered = 0
    eachWindow(windows, layer.codes, (start) => {
      const span = textAt(searched, start, windows.size)
      if (span && span.end > covered) {
        found(span.start, span.end)
        covered = span.end
        // A whole secret ends where it ends: what follows is none of it.
      } else if (isError)
        for (const end of prefixesAt(searched, start)) found(start, endOfPiece(layer.codes, end))
    })
  }
}

/** The longest known form that begins here. */
function textAt(searched: Searched, start: number, shortest: number): Span | undefined {
  const { index, layer, hashOf } = searched
  let found: Span | undefined
  for (let size = shortest; start + size <= layer.codes.length; size *= 2) {
    const lengths = index.lengths.get(hashOf(start, start + size))
    if (lengths === undefined) break
    if (size < longBeginning || lengths.length <= mostLengths) {
      found = firstSecret(searched, start, lengths) ?? found
      continue
    }
    const end = Math.max(...prefixesAt(searched, start))
    const longer = [3, 2, 1].map((more) => end - start + more)
    return firstSecret(searched, start, longer) ?? { start, end }
  }
  return found
}

/** The first part of one of these lengths that is a secret, with the escape that has one end of it. */
function firstSecret(
  { index, hashOf, layer, isError }: Searched,
  start: number,
  lengths: readonly number[],
): Span | undefined {
  for (const length of lengths) {
    const end = start + length
    if (end > layer.codes.length) continue
    const part = hashOf(start, end)
    const isAnywhere = index.whole.get(part)
    if (isAnywhere || (isAnywhere === false && (isError || standsAlone(layer, start, end))))
      return { start, end }
    const lacking = index.lacking.get(part)
    // What was left out, such as a line break, is no part of the secret.
    if (lacking && canHold(lacking, layer, start, true))
      return { start: isEscape(layer, start - 1) ? start - 1 : start, end }
    if (lacking && canHold(lacking, layer, end, false))
      return { start, end: isEscape(layer, end) ? end + 1 : end }
  }
  return undefined
}

/** Where what secrets begin with ends: it is compared in pieces, with a search by halves. */
function* prefixesAt({ index, layer, hashOf }: Searched, start: number): Generator<number> {
  const { length } = layer.codes
  if (start + shortestPrefix > length) return
  for (const first of index.firstPrefixes.get(hashOf(start, start + shortestPrefix)) ?? []) {
    const isPrefix = (to: number): boolean => to <= length && index.prefixes.has(hashOf(start, to))
    let end = start + first
    if (!isPrefix(end)) continue
    for (let step = prefixPiece * 2 ** 24; step >= prefixPiece; step /= 2)
      if (isPrefix(end + step)) end += step
    yield end
  }
}

/** A little later, since pieces are compared whole: what can belong to the next piece, in the same decoded run. */
function endOfPiece(codes: Uint16Array, end: number): number {
  const rest = /^[^\s+\uffff]*/.exec(textOf(codes, end, end + prefixPiece - 1))
  return end + (rest?.[0].length ?? 0)
}

/** Whether nothing stands around the part that could belong to the same word or number. */
function standsAlone(layer: Layer, start: number, end: number): boolean {
  const { codes } = layer
  const isJoined = (at: number): boolean =>
    at > 0 && at < codes.length && !isBroken(layer, at) && isWordlike(codes, at - 1) && isWordlike(codes, at)
  const isAfterEscape = /^\\[nrtbf]$/.test(textOf(codes, start - 2, start))
  return (isAfterEscape || !isJoined(start)) && !isJoined(end)
}

function isWordlike(codes: Uint16Array, at: number): boolean {
  return /[\p{L}\p{N}_]/u.test(textOf(codes, at, at + 1))
}
