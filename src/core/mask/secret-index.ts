import { createHasher, someWindow } from './text-hashes.ts'

/** A part of a text. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** What is known of all secrets together. */
export interface SecretFacts {
  /** How many bytes the shortest of them has that is looked for inside of texts. */
  shortest: number
  hasSpace: boolean
}

/** Finds known secrets in texts, in a time that depends neither on how many there are nor on how long they are. */
export interface SecretIndex {
  readonly facts: Readonly<SecretFacts>
  add(secret: string): void
  /** Whether a whole text is a secret that is too short to be looked for inside of others. */
  isShortSecret(text: string): boolean
  hasShortSecrets(): boolean
  /** False for nearly every text, at a fraction of the cost of `find`: then it finds nothing in it. */
  mayHold(text: string, isError: boolean): boolean
  /**
   * Reports every part of a text that is a secret; in an error also the first characters of one. Counts with `spend`
   * each step that depends on what secrets have in common.
   */
  find(text: string, search: Search): void
}

/** How a text is searched, and where the results go. */
export interface Search {
  /** No later step computes with an error, so more of it can be hidden. */
  readonly isError: boolean
  found(start: number, end: number): void
  spend(steps: number): void
}

/** Shorter secrets are parts of harmless words: outside of errors they count only as whole words. */
const shortestAnywhere = 8
/** Even shorter ones count only as a whole text. */
const shortestInText = 4
/** In errors this many first characters of a secret count, and then every further piece. */
const shortestPrefix = 12
const prefixPiece = 4

/** An index of folded texts. It keeps hashes of secrets, not the secrets. */
export function createSecretIndex(): SecretIndex {
  const facts: SecretFacts = { shortest: Number.POSITIVE_INFINITY, hasSpace: false }
  const hash = createHasher()
  const shortSecrets = new Set<string>()
  const known = new Set<number>()
  const knownPrefixes = new Set<number>()
  const words = createWindowTable(shortestInText)
  const texts = createWindowTable(shortestAnywhere)
  const beginnings = createWindowTable(shortestPrefix)
  /** Prefixes are many, and most masks see no error. */
  let withoutPrefixes: string[] = []

  /** Whether it is new. */
  const addForm = (form: string): boolean => {
    const hashes = hash(form)
    const { length } = form
    const whole = hashes.whole()
    if (known.has(whole)) return false
    known.add(whole)
    const table = length < shortestAnywhere ? words : texts
    table.add(hashes.first(table.size), length)
    if (length > shortestPrefix) withoutPrefixes.push(form)
    return true
  }
  const addPrefixes = (form: string): void => {
    const first = originLength(form) + shortestPrefix
    if (form.length <= first) return
    const hashes = hash(form)
    beginnings.add(hashes.first(shortestPrefix), first)
    for (let end = first; end < form.length; end += prefixPiece) knownPrefixes.add(hashes.part(0, end))
  }

  const learnPrefixes = (): void => {
    for (const form of withoutPrefixes) addPrefixes(form)
    withoutPrefixes = []
  }

  return {
    facts,
    add(secret) {
      const form = foldCase(secret)
      if (form.length < shortestInText) {
        shortSecrets.add(form)
        return
      }
      if (!addForm(form)) return
      // Decoded byte by byte, and as views and errors show what has several lines.
      const others = [byteText(secret), inOneLine(secret)]
        .map(foldCase)
        .filter((other) => other !== form && other.length >= shortestInText)
      for (const other of others) addForm(other)
      facts.shortest = Math.min(facts.shortest, form.length, ...others.map(({ length }) => length))
      facts.hasSpace ||= [form, ...others].some((one) => one.includes(' '))
    },
    isShortSecret: (text) =>
      shortSecrets.size > 0 && text.length < shortestInText && shortSecrets.has(foldCase(text)),
    hasShortSecrets: () => shortSecrets.size > 0,
    mayHold(text, isError) {
      if (isError) learnPrefixes()
      const folded = foldCase(text)
      return (
        (facts.shortest < shortestAnywhere && words.mayBeginIn(folded)) ||
        texts.mayBeginIn(folded) ||
        (isError && beginnings.mayBeginIn(folded))
      )
    },
    find(text, search) {
      if (text.length < facts.shortest && !search.isError) return
      if (search.isError) learnPrefixes()
      const folded = foldCase(text)
      const hashes = hash(folded)
      const isKnown = (start: number, end: number): boolean => known.has(hashes.part(start, end))
      if (facts.shortest < shortestAnywhere)
        findIn(
          words,
          folded,
          search,
          (start, end) => isKnown(start, end) && (search.isError || standsAlone(folded, start, end)),
        )
      if (!search.isError) {
        findIn(texts, folded, search, isKnown)
        return
      }
      const whole = new Set<number>()
      const foundWhole = (start: number, end: number): void => {
        whole.add(start)
        search.found(start, end)
      }
      findIn(texts, folded, { ...search, found: foundWhole }, isKnown)
      const isPrefix = (start: number, end: number): boolean => knownPrefixes.has(hashes.part(start, end))
      const found = (start: number, end: number): void => {
        // A whole secret ends where it ends: what follows is none of it.
        if (!whole.has(start)) search.found(start, endOfPrefix(folded, start, end, isPrefix, search))
      }
      findIn(beginnings, folded, { ...search, found }, isPrefix)
    },
  }
}

function findIn(
  table: WindowTable,
  text: string,
  { found, spend }: Search,
  isKnown: (start: number, end: number) => boolean,
): void {
  let covered = 0
  table.eachIn(text, (start, lengths) => {
    for (const length of lengths) {
      const end = start + length
      // This part is inside of one that was found before.
      if (end <= covered) return
      spend(1)
      if (end <= text.length && isKnown(start, end)) {
        found(start, end)
        covered = end
        return
      }
    }
  })
}

/** Where what a secret begins with ends in the text, or a little later: pieces are compared whole. */
function endOfPrefix(
  text: string,
  start: number,
  first: number,
  isPrefix: (start: number, end: number) => boolean,
  { spend }: Search,
): number {
  let end = first
  while (end + prefixPiece <= text.length && isPrefix(start, end + prefixPiece)) {
    end += prefixPiece
    spend(1)
  }
  const most = Math.min(end + prefixPiece - 1, text.length)
  while (end < most && /\S/.test(text[end] ?? '')) end++
  return end
}

/** A secret that is an address begins like every other address there: what counts comes after its host. */
function originLength(text: string): number {
  return /^[a-z][a-z0-9+.-]*:\/\/[^/?#@]*(?=[/?#]|$)/.exec(text)?.[0].length ?? 0
}

/** Whether nothing stands around the part that could belong to the same word or number. */
function standsAlone(text: string, start: number, end: number): boolean {
  const isJoined = (one: number, other: number): boolean => isWordlike(text[one]) && isWordlike(text[other])
  return !isJoined(start - 1, start) && !isJoined(end - 1, end)
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

/** The lengths of known texts, by the hashes of their first characters. */
export interface WindowTable {
  /** How many characters of each text are looked at. */
  readonly size: number
  /** A text of this length begins with characters of this hash. */
  add(hash: number, length: number): void
  /** Whether one of the texts may begin in this one. False for nearly every text. */
  mayBeginIn(text: string): boolean
  /** Visits where texts may begin, with the lengths of these texts, the longest first. */
  eachIn(text: string, visit: (start: number, lengths: readonly number[]) => void): void
}

/** Creates a table that needs one look into a list of bytes for an unknown hash, as nearly all are. */
function createWindowTable(size: number): WindowTable {
  const lengthsOf = new Map<number, number[]>()
  let bits = 12
  let isThere = new Uint8Array(2 ** bits)
  const slot = (hash: number): number => Math.imul(hash, 0x9e3779b1) >>> (32 - bits)
  const mayBegin = (hash: number): boolean => isThere[slot(hash)] !== 0
  const grow = (): void => {
    bits++
    isThere = new Uint8Array(2 ** bits)
    for (const hash of lengthsOf.keys()) isThere[slot(hash)] = 1
  }
  return {
    size,
    add(hash, length) {
      const lengths = lengthsOf.get(hash)
      if (lengths === undefined) {
        lengthsOf.set(hash, [length])
        isThere[slot(hash)] = 1
        if (lengthsOf.size * 16 > isThere.length && bits < 24) grow()
      } else if (!lengths.includes(length)) {
        const place = lengths.findIndex((other) => other < length)
        lengths.splice(place < 0 ? lengths.length : place, 0, length)
      }
    },
    mayBeginIn: (text) => someWindow(text, size, mayBegin),
    eachIn: (text, visit) =>
      void someWindow(text, size, (hash, start) => {
        const lengths = mayBegin(hash) ? lengthsOf.get(hash) : undefined
        if (lengths !== undefined) visit(start, lengths)
        return false
      }),
  }
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
