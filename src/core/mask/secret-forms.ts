import { utf8ToBytes } from '@noble/hashes/utils.js'
import { inOneLine } from '../text/index.ts'
import { type Layer, layerOf, textOf } from './layer.ts'
import { peelEscapes } from './peel-escapes.ts'

/** A text by which a secret is known. */
export interface Form {
  readonly text: string
  /** Whether it counts inside of words, too. */
  readonly isAnywhere: boolean
  /** What it lacks before `<` or behind `>`: it counts only where an escape can hold that. */
  readonly lacks?: string
}

/** Lines of a secret that are shorter do not count. */
const shortestLine = 8

/**
 * The texts to look for in texts without escapes: the secret as a whole, on one line as views and errors show it, each
 * of its lines, and its bytes.
 */
export function* formsOf(secret: string): Generator<Form> {
  // A key in a secret that is JSON has its line breaks as escapes.
  const lines = secret.split(/(?:[\r\n]|\\[rn])+/).map((line) => line.trim())
  const longLines = lines.length > 1 ? lines.filter(({ length }) => length >= shortestLine) : []
  const isAnywhere = secret.trim().length >= shortestLine
  const written = [secret, inOneLine(secret), secret.replace(/[\r\n]/g, ''), ...longLines]
  for (const one of new Set(written.flatMap((text) => [text, ...byteTexts(text)]))) {
    yield { text: one, isAnywhere }
    for (const escaped of new Set([one, one.replaceAll('\\', ''), JSON.stringify(one).slice(1, -1)])) {
      const text = withoutEscapes(escaped)
      yield { text, isAnywhere }
      const [ending = ''] = endOfEscape.exec(text) ?? []
      for (let length = 1; length <= ending.length; length++)
        yield { text: text.slice(length), isAnywhere, lacks: `${comparable(text.slice(0, length))}<` }
      const [end] = beginningOfEscape.exec(escaped) ?? []
      if (end)
        yield {
          text: withoutEscapes(escaped.slice(0, -end.length)),
          isAnywhere,
          lacks: `>${comparable(end)}`,
        }
    }
  }
}

/** What can be the end of an escape, where a text before it is the beginning of one. */
const endOfEscape = /^(?:#?\w{0,8};|[0-9a-f]{1,4}|[nr])/i
/** What can be the beginning of an escape, where a text behind it is the end of one. */
const beginningOfEscape =
  /(?:%[0-9a-f]?|\\+(?:x[0-9a-f]?|u[0-9a-f]{0,3})|&(?:#\d{0,7}|#x[0-9a-f]{0,6}|am?p?|ap?o?s?|[lg]t?|qu?o?t?)?)$/i

/** A secret as it is where a text was peeled. */
function withoutEscapes(secret: string): string {
  const layer = layerOf(secret)
  return textOf((peelEscapes(layer) ?? layer).codes)
}

/** The UTF-8 bytes of a text in each case, as decoders return them: each as one character. */
function byteTexts(text: string): readonly string[] {
  if (/^[\0-\x7f]*$/.test(text)) return []
  return [text, text.toLowerCase(), text.toUpperCase()].map((one) =>
    textOf(Uint16Array.from(utf8ToBytes(one))),
  )
}

/** Whether the escape before or behind a place, or what was left out there, can hold what forms lack. */
export function canHold(
  lacking: ReadonlySet<string>,
  { written }: Layer,
  at: number,
  isBefore: boolean,
): boolean {
  const places = (isBefore ? written?.begins : written?.ends) ?? []
  const [from = 0, to = 0] = [places[at - 1], places[at]]
  if (!written || to - from < 2) return false
  const text = textOf(written.codes, from, to)
  const lengths = Array.from({ length: text.length + 1 }, (_, length) => length)
  // Its sign is none of the secret.
  return lengths.some((length) =>
    lacking.has(isBefore ? `${folded(text.slice(length))}<` : `>${folded(text.slice(0, length))}`),
  )
}

/** Nothing for what is more than the number of an escape: any escape can hold it. */
function comparable(lacking: string): string {
  return /[;&\\]/.test(lacking) ? '' : folded(lacking)
}

function folded(text: string): string {
  return withoutEscapes(text).toLowerCase()
}
