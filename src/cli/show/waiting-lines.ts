import type { RunRecord, WaitingAttempt } from '../../core/record/index.ts'
import { printableLine } from '../../project/text/index.ts'
import type { ReportOptions } from '../run/report/reported-run.ts'
import { columns } from '../shared/terminal/columns.ts'
import { durationText, momentText } from '../shared/terminal/quantity-text.ts'

const reasons: Readonly<Record<WaitingAttempt['reason'], string>> = {
  worker: 'for a worker',
  target: 'for its target, which another call uses',
  budget: 'for the rate limit',
  event: 'for an event',
  throttle: 'since the service refused calls as too frequent',
}

/** More are only counted. */
const mostListed = 10

/** The steps that wait for an event and the attempts that have waited for over a minute: why, and for how long. */
export function waitingLines(
  { waiting_attempts: waiting = [] }: Pick<RunRecord, 'waiting_attempts'>,
  { paint, mask, now, items }: Pick<ReportOptions, 'paint' | 'mask' | 'now' | 'items'>,
): readonly string[] {
  if (waiting.length === 0) return []
  const rows = waiting
    .slice(0, mostListed)
    .map((one) => [printableLine(items.label(one.path)), waitingAttemptText(one, now)])
  const left = waiting.length - rows.length
  return [
    '',
    paint.bold('Waiting'),
    ...columns(rows).map((line) => mask.text(`  ${line}`)),
    ...(left > 0 ? [`  and ${left} more`] : []),
  ]
}

/** What an attempt waits for, such as `waits for its target, which another call uses, since 4m`. */
export function waitingAttemptText(
  { reason, message, since, until, worker }: WaitingAttempt,
  now: number,
): string {
  const parts = [
    `waits ${reasons[reason]}${message === undefined ? '' : ` of ${printableLine(message)}`}`,
    `for ${durationText(now - Date.parse(since))} now`,
    ...(until === undefined ? [] : [`until ${momentText(Date.parse(until))}`]),
    ...(worker === undefined ? [] : [`at ${printableLine(worker)}`]),
  ]
  return parts.join(', ')
}
