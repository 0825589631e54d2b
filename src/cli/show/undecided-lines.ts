import type { ActionDescription, Safety } from '../../core/action.ts'
import type { AttemptRecord, RunRecord } from '../../core/record/run-record.ts'
import type { ReportOptions } from '../run/report/report-lines.ts'
import { momentText } from '../terminal/duration-text.ts'
import { printableLine } from '../terminal/printable.ts'
import { wrap } from '../terminal/wrap.ts'
import { sentLines } from './journal/attempt-entry.ts'
import type { RunJournal } from './read-journal.ts'

/** What a person can do where the action itself says nothing. */
const ways: Readonly<Record<Safety, string>> = {
  create: 'Look where it makes what it makes: is there one with these arguments, made at that time?',
  idempotent: 'Doing it twice is doing it once: where you cannot tell, decide "retry".',
  read: 'It changes nothing: decide "retry".',
}

/**
 * What is known of the calls of which nobody knows whether they were carried out: what was sent and when, the request
 * id, and how to find out by hand.
 */
export function undecidedLines(
  run: RunRecord,
  journal: RunJournal,
  actions: readonly ActionDescription[],
  options: ReportOptions,
): readonly string[] {
  if (run.status !== 'unknown') return []
  return undecidedAttempts(journal).flatMap((attempt) => {
    const action = actions.find(({ name }) => name === attempt.action)
    const way = action?.findOut ?? ways[action?.safety ?? 'create']
    return attemptLines(attempt, way, options)
  })
}

/** The last attempt of each of them. */
function undecidedAttempts({ undecided, attempts }: RunJournal): readonly AttemptRecord[] {
  const last = new Map(undecided.map(({ path, attempt }) => [path, attempt]))
  if (last.size === 0) return []
  return [...attempts].filter(
    ({ path, attempt, is_superseded }) => !is_superseded && last.get(path) === attempt,
  )
}

function attemptLines(
  { path, action, attempt, started_at, request_id, status, error, sent }: AttemptRecord,
  way: string,
  options: ReportOptions,
): readonly string[] {
  const { paint, mask, items, width = 100 } = options
  const fact = (name: string, text: string): readonly string[] =>
    wrap(mask.text(printableLine(text)), Math.max(width - 14, 30)).map(
      (line, row) => `  ${paint.dim((row === 0 ? name : '').padEnd(10))}  ${line}`,
    )
  const came = status === 'begun' ? 'its process ended before an answer was recorded' : error?.message
  return [
    '',
    paint.yellow(`${printableLine(items.label(path))}: nobody knows whether it was carried out`),
    ...fact('call', `${action}, attempt ${attempt}, at ${momentText(Date.parse(started_at))}`),
    ...(came === undefined ? [] : fact('came to', came)),
    ...fact('request id', request_id ?? 'none: no answer named one'),
    ...(sent === undefined ? [] : sentLines(sent, options).map((line) => `  ${line}`)),
    ...fact('find out', way),
  ]
}
