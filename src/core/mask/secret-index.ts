import { layerOf } from './layer.ts'
import { formsOf, keyOfLacking } from './secret-forms.ts'
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
  /** The hashes of forms that lack something there, and what. */
  readonly lacksBegin: Map<number, Set<string>>
  readonly lacksEnd: Map<number, Set<string>>
  /** By beginnings of 8, 16, 32 … characters: the lengths of the forms up to twice as long, the longest first. */
  readonly lengths: Map<number, number[]>
  /** What forms begin with: those of less than eight characters, and the others. */
  readonly words: Windows
  readonly texts: Windows
  /** The first characters that count in errors. `firstPrefixes`: where the first of them ends, by the characters before. */
  readonly prefixes: Windows
  readonly knownPrefixes: Set<number>
  readonly firstPrefixes: Map<number, Set<number>>
  /** They are many, and most masks see no error. */
  withoutPrefixes: (readonly [form: Uint16Array, first: number])[]
  /** How many characters the shortest and the longest form has. */
  shortest: number
  longest: number
}

/** An index that knows no secret. */
export function createSecretIndex(): SecretIndex {
  return {
    shortSecrets: new Set(),
    whole: new Map(),
    lacksBegin: new Map(),
    lacksEnd: new Map(),
    lengths: new Map(),
    words: createWindows(shortestInText),
    texts: createWindows(shortestAnywhere),
    prefixes: createWindows(shortestPrefix),
    knownPrefixes: new Set(),
    firstPrefixes: new Map(),
    withoutPrefixes: [],
    shortest: Number.POSITIVE_INFINITY,
    longest: 0,
  }
}

/** Learns a secret. The time does not depend on how many are known. */
export function addSecret(index: SecretIndex, secret: string): void {
  if (secret.length < shortestInText) {
    index.shortSecrets.add(secret.toLowerCase())
    return
  }
  for (const { text, isAnywhere, lacks } of formsOf(secret)) {
    const { length } = text
    if (length < shortestInText) continue
    const form = layerOf(text).codes
    const hashes = hashesOf(form)
    const hash = hashes.part(0, length)
    if (lacks === undefined) addWhole(index, form, hash, isAnywhere, text)
    else if ('begin' in lacks) valueAt(index.lacksBegin, hash, newSet<string>).add(keyOfLacking(lacks.begin))
    else valueAt(index.lacksEnd, hash, newSet<string>).add(keyOfLacking(lacks.end))
    index.longest = Math.max(index.longest, length)
    if (length < shortestAnywhere) addWindow(index.words, form)
    else addWindow(index.texts, form)
    for (let size = shortestAnywhere; size <= length; size *= 2) {
      const lengths = valueAt(index.lengths, hashes.part(0, size), (): number[] => [])
      if (length >= 2 * size || lengths.includes(length)) continue
      const place = lengths.findIndex((other) => other < length)
      lengths.splice(place < 0 ? lengths.length : place, 0, length)
    }
  }
}

function addWhole(
  index: SecretIndex,
  form: Uint16Array,
  hash: number,
  isAnywhere: boolean,
  text: string,
): void {
  const { whole, withoutPrefixes } = index
  if (!whole.has(hash)) {
    index.shortest = Math.min(index.shortest, form.length)
    const first = originLength(text) + shortestPrefix
    if (form.length > first) withoutPrefixes.push([form, first])
  }
  whole.set(hash, isAnywhere || form.length >= shortestAnywhere || whole.get(hash) === true)
}

/** Learns also what secrets begin with. */
export function addPrefixes(index: SecretIndex): void {
  for (const [form, first] of index.withoutPrefixes) {
    const hashes = hashesOf(form)
    addWindow(index.prefixes, form)
    valueAt(index.firstPrefixes, hashes.part(0, shortestPrefix), newSet<number>).add(first)
    for (let end = first; end < form.length; end += prefixPiece) index.knownPrefixes.add(hashes.part(0, end))
  }
  index.withoutPrefixes = []
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

function newSet<T>(): Set<T> {
  return new Set()
}
