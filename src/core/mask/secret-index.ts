import { layerOf } from './layer.ts'
import { formsOf } from './secret-forms.ts'
import { addWindow, createWindows, hashesOf, type Windows } from './text-hashes.ts'

/** Shorter secrets are parts of harmless words: outside of errors they count only as whole words. */
export const shortestAnywhere = 8
/** Even shorter ones count only as a whole text. */
export const shortestInText = 4
/** In errors this many first characters of a secret count, and then every further piece. */
export const shortestPrefix = 12
export const prefixPiece = 4

/** What is known of secrets: hashes of their forms, not the secrets. */
export interface SecretIndex {
  /** Those that are too short to be looked for inside of texts. */
  readonly shortSecrets: Set<string>
  /** The hash of each form, and whether it counts inside of words, too. */
  readonly whole: Map<number, boolean>
  /** The hashes of forms that lack something, and what. */
  readonly lacking: Map<number, Set<string>>
  /** By beginnings of 4, 8, 16 … characters: the lengths of the forms up to twice as long, the longest first. */
  readonly lengths: Map<number, number[]>
  /** What forms begin with: those of less than eight characters, and the others. */
  readonly words: Windows
  readonly texts: Windows
  /** The first characters that count in errors, and where the first of them ends, by the characters before. */
  readonly prefixes: Set<number>
  readonly firstPrefixes: Map<number, Set<number>>
  /** How many characters the shortest and the longest form has. */
  shortest: number
  longest: number
}

/** An index that knows no secret. */
export function createSecretIndex(): SecretIndex {
  return {
    shortSecrets: new Set(),
    whole: new Map(),
    lacking: new Map(),
    lengths: new Map(),
    words: createWindows(shortestInText),
    texts: createWindows(shortestAnywhere),
    prefixes: new Set(),
    firstPrefixes: new Map(),
    shortest: Number.POSITIVE_INFINITY,
    longest: 0,
  }
}

/** Learns a secret. The time does not depend on how many are known. */
export function addSecret(index: SecretIndex, secret: string): void {
  const { whole, lacking, lengths, prefixes, firstPrefixes } = index
  if (secret.length < shortestInText) index.shortSecrets.add(secret.toLowerCase())
  else
    for (const { text, isAnywhere, lacks } of formsOf(secret)) {
      const { length } = text
      if (length < shortestInText) continue
      const { codes } = layerOf(text)
      const hashOf = hashesOf(codes)
      const hash = hashOf(0, length)
      index.longest = Math.max(index.longest, length)
      const windows = length < shortestAnywhere ? index.words : index.texts
      addWindow(windows, codes)
      for (let { size } = windows; size <= length; size *= 2) {
        const known = valueAt(lengths, hashOf(0, size), (): number[] => [])
        if (length >= 2 * size || known.includes(length)) continue
        known.push(length)
        known.sort((one, other) => other - one)
      }
      if (lacks !== undefined) {
        valueAt(lacking, hash, () => new Set<string>()).add(lacks)
        continue
      }
      index.shortest = Math.min(index.shortest, length)
      whole.set(hash, isAnywhere || length >= shortestAnywhere || whole.get(hash) === true)
      const first = originLength(text) + shortestPrefix
      if (length > first)
        valueAt(firstPrefixes, hashOf(0, shortestPrefix), () => new Set<number>()).add(first)
      for (let end = first; end < length; end += prefixPiece) prefixes.add(hashOf(0, end))
    }
}

/** A secret that is an address begins like every other address there: what counts comes after its host. */
function originLength(text: string): number {
  return /^[a-z][a-z0-9+.-]*:\/\/[^/?#@]*(?=[/?#]|$)/i.exec(text)?.[0].length ?? 0
}

/** The value of a key, which is made where there is none. */
function valueAt<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const value = map.get(key) ?? make()
  map.set(key, value)
  return value
}
