import { peelEscapes } from './peel-escapes.ts'
import { createHasher, createWindows, type TextHashes } from './text-hashes.ts'

/** Finds known secrets in texts, in a time that depends neither on how many there are nor on how long they are. */
export interface SecretIndex {
  add(secret: string): void
  /** How many characters the shortest of them has that is looked for inside of texts, and the longest. */
  shortest(): number
  longest(): number
  /** Whether a whole text is a secret that is too short to be looked for inside of others. */
  isShortSecret(text: string): boolean
  hasShortSecrets(): boolean
  /** Reports every part of a text that is a secret; in an error also the first characters of one. */
  find(text: string, search: Search): void
}

/** How a text is searched, and where the results go. */
export interface Search {
  /** No later step computes with an error, so more of it can be hidden. */
  readonly isError: boolean
  readonly found: (start: number, end: number) => void
}

/** Shorter secrets are parts of harmless words: outside of errors they count only as whole words. */
export const shortestAnywhere = 8
/** Even shorter ones count only as a whole text. */
const shortestInText = 4
/** In errors this many first characters of a secret count, and then every further piece. */
const shortestPrefix = 12
const prefixPiece = 4
/**
 * Where more secrets of different lengths have the same first characters, 64 at least, a text that begins so is hidden
 * as far as it is the beginning of one of them.
 */
const mostLengths = 16
const longBeginning = 64

/** An index of folded texts. It keeps hashes of secrets, not the secrets. */
export function createSecretIndex(): SecretIndex {
  const hash = createHasher()
  const shortSecrets = new Set<string>()
  const known = new Set<number>()
  /** By beginnings of 8, 16, 32 … characters: the lengths of the texts up to twice as long, the longest first. */
  const lengthsOf = new Map<number, number[]>()
  const words = createWindows(shortestInText)
  const texts = createWindows(shortestAnywhere)
  const beginnings = createWindows(shortestPrefix)
  const knownPrefixes = new Set<number>()
  /** Where the first prefix ends, by the first characters. */
  const firstPrefixes = new Map<number, Set<number>>()
  /** Prefixes are many, and most masks see no error. */
  let withoutPrefixes: string[] = []
  let shortest = Number.POSITIVE_INFINITY
  let longest = 0

  const addForm = (form: string): void => {
    const { length } = form
    const hashes = hash(form)
    const whole = hashes.part(0, length)
    if (length < shortestInText || known.has(whole)) return
    known.add(whole)
    shortest = Math.min(shortest, length)
    longest = Math.max(longest, length)
    if (length > shortestPrefix) withoutPrefixes.push(form)
    if (length < shortestAnywhere) words.add(form)
    else texts.add(form)
    for (let size = shortestAnywhere; size <= length; size *= 2) {
      const lengths = valueAt(lengthsOf, hashes.part(0, size), (): number[] => [])
      if (length >= 2 * size || lengths.includes(length)) continue
      const place = lengths.findIndex((other) => other < length)
      lengths.splice(place < 0 ? lengths.length : place, 0, length)
    }
  }
  const learnPrefixes = (): void => {
    for (const form of withoutPrefixes) {
      const first = originLength(form) + shortestPrefix
      if (form.length <= first) continue
      const hashes = hash(form)
      beginnings.add(form)
      valueAt(firstPrefixes, hashes.part(0, shortestPrefix), () => new Set<number>()).add(first)
      for (let end = first; end < form.length; end += prefixPiece) knownPrefixes.add(hashes.part(0, end))
    }
    withoutPrefixes = []
  }

  const findWords = (text: string, hashes: TextHashes, { isError, found }: Search): void => {
    words.eachIn(text, (start) => {
      for (let end = start + shortestAnywhere - 1; end >= start + shortestInText; end--) {
        if (end > text.length || !known.has(hashes.part(start, end))) continue
        if (!isError && !standsAlone(text, start, end)) continue
        found(start, end)
        return
      }
    })
  }
  /** Where the longest known text that begins here ends; `start` where none does. */
  const endOfText = (text: string, hashes: TextHashes, start: number): number => {
    const wholeEnd = (lengths: readonly number[]): number | undefined =>
      lengths
        .map((length) => start + length)
        .find((end) => end <= text.length && known.has(hashes.part(start, end)))
    let found = start
    for (let size = shortestAnywhere; start + size <= text.length; size *= 2) {
      const lengths = lengthsOf.get(hashes.part(start, start + size))
      if (lengths === undefined) break
      if (size < longBeginning || lengths.length <= mostLengths) {
        found = wholeEnd(lengths) ?? found
        continue
      }
      const length = Math.max(...prefixesAt(text, hashes, start)) - start
      return wholeEnd([3, 2, 1].map((more) => length + more)) ?? start + length
    }
    return found
  }
  /** Where what secrets begin with ends: it is compared in pieces, with a search by halves. */
  function* prefixesAt(text: string, hashes: TextHashes, start: number): Generator<number> {
    learnPrefixes()
    if (start + shortestPrefix > text.length) return
    for (const length of firstPrefixes.get(hashes.part(start, start + shortestPrefix)) ?? []) {
      const isPrefix = (pieces: number): boolean => {
        const end = start + length + pieces * prefixPiece
        return end <= text.length && knownPrefixes.has(hashes.part(start, end))
      }
      if (!isPrefix(0)) continue
      let pieces = 0
      let step = 1
      for (; isPrefix(pieces + step); step *= 2) pieces += step
      for (; step >= 1; step /= 2) if (isPrefix(pieces + step)) pieces += step
      yield start + length + pieces * prefixPiece
    }
  }

  return {
    add(secret) {
      if (secret.length < shortestInText) {
        shortSecrets.add(foldCase(secret))
        return
      }
      const lines = secret.split(/[\r\n]+/).map((line) => line.trim())
      const longLines = lines.length > 1 ? lines.filter(({ length }) => length >= shortestAnywhere) : []
      // Decoded byte by byte, on one line as views and errors show it, and without escapes as texts are searched.
      for (const one of [secret, inOneLine(secret), ...longLines])
        for (const written of [one, byteText(one)]) {
          addForm(foldCase(written))
          for (const escaped of [
            written,
            written.replaceAll('\\', ''),
            JSON.stringify(written).slice(1, -1),
          ]) {
            const peeled = peelEscapes({ text: escaped, sourceOf: (start, end) => ({ start, end }) })
            const plain = foldCase(withBlanks(peeled?.text ?? escaped))
            // The beginning of an escape can be one with what follows.
            addForm(plain.replace(/(?:%[0-9a-f]?|&[#\w]{0,8})$/, ''))
          }
        }
    },
    shortest: () => shortest,
    longest: () => longest,
    isShortSecret: (text) =>
      shortSecrets.size > 0 && text.length < shortestInText && shortSecrets.has(foldCase(text)),
    hasShortSecrets: () => shortSecrets.size > 0,
    find(given, search) {
      const { isError, found } = search
      const text = foldCase(given)
      const hashes = hash(text)
      if (shortest < shortestAnywhere) findWords(text, hashes, search)
      let covered = 0
      const whole = new Set<number>()
      texts.eachIn(text, (start) => {
        const end = endOfText(text, hashes, start)
        if (end <= Math.max(covered, start)) return
        found(start, end)
        covered = end
        whole.add(start)
      })
      if (!isError) return
      learnPrefixes()
      beginnings.eachIn(text, (start) => {
        // A whole secret ends where it ends: what follows is none of it.
        if (whole.has(start)) return
        for (const end of prefixesAt(text, hashes, start)) found(start, endOfPiece(text, end))
      })
    },
  }
}

/** A little later, since pieces are compared whole: what can belong to the next piece. */
function endOfPiece(text: string, end: number): number {
  const rest = /^\S{0,3}/.exec(text.slice(end, end + prefixPiece - 1))
  return end + (rest?.[0].length ?? 0)
}

/** The value of a key, which is made where there is none. */
function valueAt<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const value = map.get(key) ?? make()
  map.set(key, value)
  return value
}

/** A text without escapes as it is searched: in forms, a plus is a blank. */
export function withBlanks(peeled: string): string {
  return peeled.replaceAll('+', ' ')
}

/** A secret that is an address begins like every other address there: what counts comes after its host. */
function originLength(text: string): number {
  return /^[a-z][a-z0-9+.-]*:\/\/[^/?#@]*(?=[/?#]|$)/.exec(text)?.[0].length ?? 0
}

/** Whether nothing stands around the part that could belong to the same word or number. */
function standsAlone(text: string, start: number, end: number): boolean {
  const isJoined = (one: number, other: number): boolean => isWordlike(text[one]) && isWordlike(text[other])
  const isAfterEscape = /^\\[nrtbf]$/.test(text.slice(start - 2, start))
  return (isAfterEscape || !isJoined(start - 1, start)) && !isJoined(end - 1, end)
}

function isWordlike(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_]/u.test(character)
}

/** The text without differences of case. Each character keeps its position. */
export function foldCase(text: string): string {
  const folded = text.toLowerCase()
  // This is enough for nearly every text. One letter becomes two, and one depends on its neighbours.
  if (folded.length === text.length && !folded.includes('ς')) return folded
  return text.replaceAll('İ', 'i').toLowerCase().replaceAll('ς', 'σ')
}

/** The UTF-8 bytes of a text, each as one character, as decoders of bytes return them. */
function byteText(text: string): string {
  if (/^[\0-\x7f]*$/.test(text)) return text
  // Half a character makes encodeURIComponent throw; as bytes it is what stands for an unknown one.
  const whole = text.replace(
    /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
    '\ufffd',
  )
  return encodeURIComponent(whole).replace(/%(..)/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
}

/** The text on one line: line breaks and tabs, with the blanks around them, become one blank. */
export function inOneLine(text: string): string {
  // In pieces: a pattern for all of it takes a time that grows with the square of the blanks.
  const pieces = text.split(/[\r\n\t]+/)
  const last = pieces.length - 1
  if (last === 0) return text
  return pieces
    .map((piece, at) => (at === 0 ? piece.trimEnd() : at === last ? piece.trimStart() : piece.trim()))
    .filter((piece, at) => at === 0 || at === last || piece !== '')
    .join(' ')
}
