import type { AttemptRecord } from '../../engine/embedded/index.ts'
import { stepSign } from '../run/follow/step-sign.ts'
import { valueLines } from '../run/report/output-lines.ts'
import type { ReportOptions } from '../run/report/report-lines.ts'
import { clockText, durationText } from '../terminal/duration-text.ts'
import { printableLine } from '../terminal/printable.ts'

/** One attempt of the journal: when, what, how it went, and what was answered. */
export function attemptLines(attempt: AttemptRecord, options: ReportOptions): readonly string[] {
  const { paint, mask } = options
  const { path, action, status, error, output, request_id, started_at, ended_at } = attempt
  const startedAt = Date.parse(started_at)
  const sign = stepSign(status === 'begun' ? 'unknown' : status, options)
  const parts = [
    clockText(startedAt),
    paint.bold(printableLine(path)),
    `attempt ${attempt.attempt}`,
    action,
    status === 'begun' ? 'begun, no answer recorded' : status,
    ...(ended_at === undefined ? [] : [durationText(Date.parse(ended_at) - startedAt)]),
    ...(request_id === undefined ? [] : [paint.dim(`request ${printableLine(request_id)}`)]),
    ...(attempt.is_superseded ? [paint.dim('tried again later')] : []),
  ]
  const why =
    error === undefined
      ? []
      : [`    ${paint.red(`${error.code}: ${mask.text(printableLine(error.message))}`)}`]
  const isEmpty = output === undefined || JSON.stringify(output) === '{}'
  const answered = isEmpty ? [] : valueLines(output, options).map((line) => `  ${line}`)
  return [`  ${sign} ${mask.text(parts.join('  '))}`, ...why, ...answered]
}
