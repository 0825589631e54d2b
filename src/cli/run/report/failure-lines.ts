import { errorRule } from '../../../core/errors.ts'
import type { ErrorData } from '../../../core/run-error.ts'
import type { RunReport } from '../../../engine/embedded/index.ts'
import { countText } from '../../terminal/count-text.ts'
import type { Paint } from '../../terminal/paint.ts'
import { printableLine } from '../../terminal/printable.ts'
import type { RunState } from '../follow/run-state.ts'
import type { Style } from '../follow/step-sign.ts'

/** What went wrong: code, message, the request id to quote, and what to do next. */
export function failureLines(report: RunReport, state: RunState, { paint }: Style): readonly string[] {
  const failed = report.steps.flatMap(({ path, error }) => (error === undefined ? [] : [{ path, error }]))
  if (failed.length > 0) return failed.flatMap(({ path, error }) => errorBlock(path, error, state, paint))
  const { error, status } = report
  if (error === undefined || status === 'interrupted') return []
  return errorBlock(error.path ?? 'run', error, state, paint)
}

function errorBlock(path: string, error: ErrorData, state: RunState, paint: Paint): readonly string[] {
  const { code, message, requestId } = error
  const { failures = [], tally } = state.stepOf(path) ?? {}
  const more = (tally?.failed ?? 0) - failures.length
  return [
    '',
    `${paint.red(`${printableLine(path)}: ${printableLine(code)}`)}  ${printableLine(message)}`,
    ...failures.map(
      (failure) => `  item ${failure.index}: ${printableLine(`${failure.code}: ${failure.message}`)}`,
    ),
    ...(more > 0 ? [`  and ${countText(more, 'more item')}`] : []),
    ...(requestId === undefined ? [] : [`  ${paint.dim('request id')}  ${printableLine(requestId)}`]),
    `  ${paint.dim('next')}        ${errorRule(code).next}`,
  ]
}
