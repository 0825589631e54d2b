import type { RunRecord, WaitingAttempt } from '../../core/record/run-record.ts'
import type { ReportOptions } from '../run/report/report-lines.ts'
import { columns } from '../terminal/columns.ts'
import { durationText, momentText } from '../terminal/duration-text.ts'
import { printableLine } from '../terminal/printable.ts'

const reasons: Readonly<Record<WaitingAttempt['reason'], string>> = {
  worker: 'for a worker to take it',
  target: 'for its target, which another call uses',
  budget: 'for the rate limit',
  throttle: 'since the service refused calls as too frequent',
}

/** More are counted, and not listed. */
const mostListed = 10

/** The attempts that have waited for over a minute: what for, for how long, and on which worker. */
export function waitingLines(
  { waiting_attempts: waiting = [] }: Pick<RunRecord, 'waiting_attempts'>,
  { paint, mask, now, items }: Pick<ReportOptions, 'paint' | 'mask' | 'now' | 'items'>,
): readonly string[] {
  if (waiting.length === 0) return []
  const rows = waiting
    .slice(0, mostListed)
    .map((one) => [printableLine(items.label(one.path)), waitText(one, now)])
  const left = waiting.length - rows.length
  return [
    '',
    paint.bold('Waiting'),
    ...columns(rows).map((line) => mask.text(`  ${line}`)),
    ...(left > 0 ? [`  and ${left} more`] : []),
  ]
}

/** What an attempt waits for, such as `waits for its target, which another call uses, since 4m`. */
export function waitText({ reason, since, until, worker }: WaitingAttempt, now: number): string {
  const parts = [
    `waits ${reasons[reason]}`,
    `for ${durationText(now - Date.parse(since))} now`,
    ...(until === undefined ? [] : [`until ${momentText(Date.parse(until))}`]),
    ...(worker === undefined ? [] : [`at ${printableLine(worker)}`]),
  ]
  return parts.join(', ')
}
