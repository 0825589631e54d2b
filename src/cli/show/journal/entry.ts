import type { Sign } from '../../run/follow/step-sign.ts'
import { stepSign } from '../../run/follow/step-sign.ts'
import type { ReportOptions } from '../../run/report/report-lines.ts'
import { clockText } from '../../terminal/duration-text.ts'
import { printableLine } from '../../terminal/printable.ts'
import { wrap } from '../../terminal/wrap.ts'

/** Something that happened to a run, as the journal tells of it. */
export interface JournalEntry {
  /** Unix time in milliseconds. */
  readonly atMs: number
  readonly sign?: Sign
  /** Where; left out: the run as a whole. */
  readonly path?: string
  /** A resume has set it aside: its item is that of then. */
  readonly isSetAside?: boolean
  /** What, in a few words each. */
  readonly words: readonly string[]
  /** Nothing of the same moment comes after it. */
  readonly isEnd?: true
  /** Lines under it, as they stand. */
  readonly details?: readonly string[]
}

/** As wide as a time of day and a sign with the space around them. */
const indent = 14
const narrowest = 30
/** Of what goes nowhere in particular. */
const usualWidth = 100

/** An entry as lines that are no wider than the terminal: when, what, and under it what belongs to it. */
export function entryLines(
  { atMs, sign, path, isSetAside, words, details = [] }: JournalEntry,
  options: ReportOptions,
): readonly string[] {
  const { paint, mask, items } = options
  const label = path === undefined ? '' : items.label(path, '', isSetAside ? atMs : undefined)
  const place = mask.text(printableLine(label))
  const text = mask.text([place, ...words.map(printableLine)].filter((part) => part !== '').join('  '))
  const [first = '', ...more] = wrap(text, textWidth(options)).map((line) => line.trim())
  const named = place !== '' && first.startsWith(place)
  const head = named ? paint.bold(place) + first.slice(place.length) : first
  const time = paint.dim(clockText(atMs))
  return [
    `  ${time}  ${sign === undefined ? ' ' : stepSign(sign, options)} ${head}`,
    ...more.map((line) => ' '.repeat(indent) + line),
    ...details.map((line) => ' '.repeat(indent) + line),
  ]
}

/** A text under an entry. */
export function detailText(text: string, options: ReportOptions): readonly string[] {
  return wrap(options.mask.text(printableLine(text)), textWidth(options))
}

function textWidth({ width = usualWidth }: ReportOptions): number {
  return Math.max(narrowest, width - indent)
}
