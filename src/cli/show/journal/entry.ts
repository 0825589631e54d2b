import { printableLine } from '../../../project/text/index.ts'
import { type Sign, stepSign } from '../../run/follow/step-sign.ts'
import type { ReportOptions } from '../../run/report/reported-run.ts'
import { wrap } from '../../shared/terminal/columns.ts'
import { clockText } from '../../shared/terminal/quantity-text.ts'

/** One entry in the journal of a run. */
export interface JournalEntry {
  /** Unix time in milliseconds. */
  readonly atMs: number
  readonly sign?: Sign
  /** The path of the step; left out for the run as a whole. */
  readonly path?: string
  /** A resume has set it aside, so its loop item is that of its time. */
  readonly isSetAside?: boolean
  /** What happened, in a few words each. */
  readonly words: readonly string[]
  /** It comes after all entries of the same millisecond. */
  readonly isEnd?: true
  /** Lines under it, printed unchanged. */
  readonly details?: readonly string[]
}

/** The width of a time of day and a sign with the space around them. */
const indent = 14
const narrowest = 30
/** The width of output that is not a terminal. */
const usualWidth = 100

/** An entry as lines no wider than the terminal: its time, its text, and its details. */
export function journalEntryLines(
  { atMs, sign, path, isSetAside, words, details = [] }: JournalEntry,
  options: ReportOptions,
): readonly string[] {
  const { paint, mask, items } = options
  const label = path === undefined ? '' : items.label(path, '', isSetAside ? atMs : undefined)
  const named = mask.text(printableLine(label))
  const text = mask.text([named, ...words.map(printableLine)].filter((part) => part !== '').join('  '))
  const [first = '', ...more] = wrap(text, textWidth(options)).map((line) => line.trim())
  const isFirst = named !== '' && first.startsWith(named)
  const head = isFirst ? paint.bold(named) + first.slice(named.length) : first
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
