import type { JsonObject } from '../../../core/json.ts'
import type { SentRecord } from '../../../core/record/index.ts'
import type { UnknownOutcome } from '../../../documents/index.ts'
import { printableLine } from '../../../project/text/index.ts'
import { wrap } from '../../shared/terminal/columns.ts'
import { momentText, sizeText } from '../../shared/terminal/quantity-text.ts'
import { outputValueLines } from './output-lines.ts'
import type { ReportedRun, ReportOptions } from './reported-run.ts'

/** The arguments of a write. */
export function sentLines(
  { input, bytes, save_as, connection }: SentRecord,
  options: ReportOptions,
): readonly string[] {
  const { paint } = options
  const more: JsonObject = {
    ...(connection === undefined ? {} : { connection }),
    ...(save_as === undefined ? {} : { 'save-as': save_as }),
  }
  const size = bytes === undefined ? '' : `: ${sizeText(bytes)}, too large for the record`
  const values = [...(input === undefined ? [] : [input]), more].filter(
    (value) => Object.keys(value).length > 0,
  )
  return [paint.dim(`sent${size}`), ...values.flatMap((value) => outputValueLines(value, options))]
}

/** What is known of each call with an unknown outcome: what was sent and when, the request id, and how to find out. */
export function unknownOutcomeLines(
  { status, unknown_outcomes: outcomes = [] }: Pick<ReportedRun, 'status' | 'unknown_outcomes'>,
  options: ReportOptions,
): readonly string[] {
  return outcomes.flatMap((outcome) => [
    '',
    options.paint.yellow(`${printableLine(options.items.label(outcome.path))}: ${headText(status)}`),
    ...factLines(outcome, options),
  ])
}

function headText(status: ReportedRun['status']): string {
  if (status === 'interrupted')
    return 'was in flight when the process ended: it may or may not have been executed'
  if (status === 'unknown') return 'its outcome is unknown: it may or may not have been executed'
  return 'its outcome stays unknown: the run was cancelled, and what it creates may exist'
}

function factLines(
  { action, attempt, started_at, request_id, error, sent, find_out }: UnknownOutcome,
  options: ReportOptions,
): readonly string[] {
  const { paint, mask, width = 100 } = options
  const fact = (name: string, text: string): readonly string[] =>
    wrap(mask.text(printableLine(text)), Math.max(width - 14, 30)).map(
      (line, row) => `  ${paint.dim((row === 0 ? name : '').padEnd(10))}  ${line}`,
    )
  return [
    ...fact('call', `${action}, attempt ${attempt}, at ${momentText(Date.parse(started_at))}`),
    ...fact('result', error?.message ?? 'its process ended before an answer was recorded'),
    ...fact('request id', request_id ?? 'none: no answer named one'),
    ...(sent === undefined ? [] : sentLines(sent, options).map((line) => `  ${line}`)),
    ...fact('find out', find_out),
  ]
}
