import { utf8ToBytes } from '@noble/hashes/utils.js'
import { inOneLine } from '../text/one-line.ts'
import { beginningOfEscape, endOfEscape, isInEscape, keyOfEnd } from './escape-ends.ts'
import { foldCase } from './fold-case.ts'
import { type Layer, layerOf, type Span, textOf } from './layer.ts'
import { peelEscapes } from './peel-escapes.ts'
import { createHasher, createWindows, type TextHashes, type Windows } from './text-hashes.ts'

/** Finds known secrets in texts, in a time that depends neither on how many there are nor on how long they are. */
export interface SecretIndex {
  add(secret: string): void
  /** How many characters the shortest text has that can hold one, and the longest of them; in an error also a part of one. */
  shortest(isError: boolean): number
  longest(): number
  /** Whether a whole text is a secret that is too short to be looked for inside of others. */
  isShortSecret(text: string): boolean
  hasShortSecrets(): boolean
  /**
   * Reports every part of a text that is a secret. In an error it reports also the first characters of one, since no
   * later step computes with an error.
   */
  find(layer: Layer, isError: boolean, found: (start: number, end: number) => void): void
}

/** Shorter secrets are parts of harmless words: outside of errors they count only as whole words. */
const shortestAnywhere = 8
/** Even shorter ones count only as a whole text. */
const shortestInText = 4
const wordLengths = [7, 6, 5, 4]
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
  /** Whether they count inside of words, too. */
  const known = new Map<number, boolean>()
  /** Those of them without what an escape at one end can have, and what each lacks. */
  const withoutBegin = new Map<number, Set<string>>()
  const withoutEnd = new Map<number, Set<string>>()
  /** By beginnings of 8, 16, 32 … characters: the lengths of the texts up to twice as long, the longest first. */
  const lengthsOf = new Map<number, number[]>()
  const words = createWindows(shortestInText)
  const texts = createWindows(shortestAnywhere)
  const prefixes = createWindows(shortestPrefix)
  const knownPrefixes = new Set<number>()
  /** Where the first prefix ends, by the first characters. */
  const firstPrefixes = new Map<number, Set<number>>()
  /** Prefixes are many, and most masks see no error. */
  let withoutPrefixes: (readonly [form: Uint16Array, first: number])[] = []
  let shortest = Number.POSITIVE_INFINITY
  let longest = 0

  const addForm = (written: string, learn: (form: Uint16Array, whole: number) => void): void => {
    const { length } = written
    if (length < shortestInText) return
    const form = foldCase(layerOf(written).codes)
    const hashes = hash(form)
    learn(form, hashes.part(0, length))
    longest = Math.max(longest, length)
    if (length < shortestAnywhere) words.add(form)
    else texts.add(form)
    for (let size = shortestAnywhere; size <= length; size *= 2) {
      const lengths = valueAt(lengthsOf, hashes.part(0, size), (): number[] => [])
      if (length >= 2 * size || lengths.includes(length)) continue
      const place = lengths.findIndex((other) => other < length)
      lengths.splice(place < 0 ? lengths.length : place, 0, length)
    }
  }
  const addWhole = (written: string, isAnywhere: boolean): void =>
    addForm(written, (form, whole) => {
      if (!known.has(whole)) {
        shortest = Math.min(shortest, form.length)
        const first = originLength(written) + shortestPrefix
        if (form.length > first) withoutPrefixes.push([form, first])
      }
      known.set(whole, isAnywhere || form.length >= shortestAnywhere || known.get(whole) === true)
    })
  const addPart = (parts: Map<number, Set<string>>, written: string, lacking: string): void =>
    addForm(written, (_, part) => {
      valueAt(parts, part, () => new Set<string>()).add(keyOfEnd(lacking))
    })
  const learnPrefixes = (): void => {
    for (const [form, first] of withoutPrefixes) {
      const hashes = hash(form)
      prefixes.add(form)
      valueAt(firstPrefixes, hashes.part(0, shortestPrefix), () => new Set<number>()).add(first)
      for (let end = first; end < form.length; end += prefixPiece) knownPrefixes.add(hashes.part(0, end))
    }
    withoutPrefixes = []
  }

  /** The secret that this part of a text is, with the escape that has one end of it. */
  const secretAt = (searched: Searched, start: number, end: number): Span | undefined => {
    const { text, hashes, layer, isError } = searched
    if (end > text.length) return undefined
    const part = hashes.part(start, end)
    const isAnywhere = known.get(part)
    if (isAnywhere || (isAnywhere === false && (isError || standsAlone(layer, start, end))))
      return { start, end }
    // What was left out, such as a line break, is no part of the secret.
    if (isInEscape(withoutBegin.get(part), layer, start, start - 1))
      return { start: layer.isEscape(start - 1) ? start - 1 : start, end }
    if (isInEscape(withoutEnd.get(part), layer, end, end))
      return { start, end: layer.isEscape(end) ? end + 1 : end }
    return undefined
  }
  /** The first of these parts that is a secret. */
  const firstSecret = (searched: Searched, start: number, lengths: readonly number[]): Span | undefined => {
    for (const length of lengths) {
      const found = secretAt(searched, start, start + length)
      if (found) return found
    }
    return undefined
  }
  /** The longest known text that begins here. */
  const textAt = (searched: Searched, start: number): Span | undefined => {
    const { text, hashes } = searched
    let found: Span | undefined
    for (let size = shortestAnywhere; start + size <= text.length; size *= 2) {
      const lengths = lengthsOf.get(hashes.part(start, start + size))
      if (lengths === undefined) break
      if (size < longBeginning || lengths.length <= mostLengths) {
        found = firstSecret(searched, start, lengths) ?? found
        continue
      }
      const length = Math.max(...prefixesAt(searched, start)) - start
      const longer = [3, 2, 1].map((more) => length + more)
      return firstSecret(searched, start, longer) ?? { start, end: start + length }
    }
    return found
  }
  /** Where what secrets begin with ends: it is compared in pieces, with a search by halves. */
  function* prefixesAt({ text, hashes }: Searched, start: number): Generator<number> {
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
        shortSecrets.add(secret.toLowerCase())
        return
      }
      const lines = secret.split(/[\r\n]+/).map((line) => line.trim())
      const longLines = lines.length > 1 ? lines.filter(({ length }) => length >= shortestAnywhere) : []
      // Decoded byte by byte, on one line as views and errors show it, and with blanks that forms write as a plus.
      const written = new Set(
        [secret, inOneLine(secret), secret.replace(/[\r\n]/g, ''), ...longLines].flatMap((one) => [
          one,
          ...byteTexts(one),
        ]),
      )
      const isAnywhere = secret.trim().length >= shortestAnywhere
      for (const one of written) {
        addWhole(one, isAnywhere)
        // Without escapes, as texts are searched.
        for (const escaped of new Set([one, one.replaceAll('\\', ''), JSON.stringify(one).slice(1, -1)])) {
          const plain = withoutEscapes(escaped)
          addWhole(plain, isAnywhere)
          const [ending = ''] = endOfEscape.exec(plain) ?? []
          for (let length = 1; length <= ending.length; length++)
            addPart(withoutBegin, plain.slice(length), plain.slice(0, length))
          const [beginning] = beginningOfEscape.exec(escaped) ?? []
          if (beginning) addPart(withoutEnd, withoutEscapes(escaped.slice(0, -beginning.length)), beginning)
        }
      }
    },
    shortest: (isError) => (isError ? Math.min(shortest, shortestPrefix) : shortest),
    longest: () => longest,
    isShortSecret: (text) =>
      shortSecrets.size > 0 && text.length < shortestInText && shortSecrets.has(text.toLowerCase()),
    hasShortSecrets: () => shortSecrets.size > 0,
    find(layer, isError, found) {
      const text = foldCase(layer.codes)
      const searched: Searched = { layer, text, hashes: hash(text), isError }
      const whole = new Set<number>()
      const findWith = (windows: Windows, secretFrom: (start: number) => Span | undefined): void => {
        let covered = 0
        windows.eachIn(text, (start) => {
          const span = secretFrom(start)
          if (span === undefined || span.end <= covered) return
          found(span.start, span.end)
          covered = span.end
          whole.add(start)
        })
      }
      findWith(words, (start) => firstSecret(searched, start, wordLengths))
      findWith(texts, (start) => textAt(searched, start))
      if (!isError) return
      learnPrefixes()
      prefixes.eachIn(text, (start) => {
        // A whole secret ends where it ends: what follows is none of it.
        if (whole.has(start)) return
        for (const end of prefixesAt(searched, start)) found(start, endOfPiece(text, end))
      })
    },
  }
}

/** A text that is searched. */
interface Searched {
  readonly layer: Layer
  /** Without differences of case. */
  readonly text: Uint16Array
  readonly hashes: TextHashes
  readonly isError: boolean
}

/** A little later, since pieces are compared whole: what can belong to the next piece, in the same decoded run. */
function endOfPiece(text: Uint16Array, end: number): number {
  const rest = /^[^\s\uffff]*/.exec(textOf(text.subarray(end, end + prefixPiece - 1)))
  return end + (rest?.[0].length ?? 0)
}

/** A secret as it is where a text was peeled. */
function withoutEscapes(secret: string): string {
  const layer = layerOf(secret)
  return textOf((peelEscapes(layer) ?? layer).codes)
}

/** The value of a key, which is made where there is none. */
function valueAt<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const value = map.get(key) ?? make()
  map.set(key, value)
  return value
}

/** A secret that is an address begins like every other address there: what counts comes after its host. */
function originLength(text: string): number {
  return /^[a-z][a-z0-9+.-]*:\/\/[^/?#@]*(?=[/?#]|$)/i.exec(text)?.[0].length ?? 0
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

/** The UTF-8 bytes of a text in each case, as decoders return them: each as one character. */
function byteTexts(text: string): readonly string[] {
  if (/^[\0-\x7f]*$/.test(text)) return []
  return [text, text.toLowerCase(), text.toUpperCase()].map((one) =>
    textOf(Uint16Array.from(utf8ToBytes(one))),
  )
}
