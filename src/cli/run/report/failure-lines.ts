import { errorRule } from '../../../core/errors.ts'
import { successorIn } from '../../../core/record/successor.ts'
import type { ErrorData } from '../../../core/run-error.ts'
import { countText } from '../../terminal/count-text.ts'
import type { Paint } from '../../terminal/paint.ts'
import { printableLine } from '../../terminal/printable.ts'
import { failureText } from '../follow/failure-text.ts'
import type { RunState } from '../follow/run-state.ts'
import type { Style } from '../follow/step-sign.ts'
import { httpAnswerLines } from './http-answer-lines.ts'
import type { ReportedRun } from './reported-run.ts'

/** What went wrong: where, code, message, the request id to quote, and what to do next. */
export function failureLines(run: ReportedRun, state: RunState, { paint }: Style): readonly string[] {
  if (run.status === 'succeeded') return []
  const failures = [...failedSteps(run), ...failureOfRun(run)]
  const successor = state.successor ?? successorIn(run.error?.message)
  return distinct(failures).flatMap((failure) => {
    // That a run was cancelled is what was wanted: nothing of it has failed by that.
    const isWanted = run.status === 'cancelled' && failure.error.code === 'Cancelled'
    if (isWanted && successor === undefined) return []
    return [
      ...errorBlock(failure, state, paint),
      `  ${paint.dim('next')}        ${nextText(failure.error, successor)}`,
    ]
  })
}

interface Failure {
  readonly path: string
  readonly error: ErrorData
}

/** Steps that failed and were not let pass, each where it failed: a block tells of the step inside it. */
function failedSteps({ steps }: ReportedRun): readonly Failure[] {
  return steps.flatMap(({ path, error, is_warning, status }) =>
    // A loop names the items that made it fail.
    error === undefined || is_warning || status === 'cancelled' || path.includes('[')
      ? []
      : [{ path: error.path ?? path, error }],
  )
}

/** The run may have failed for a reason of its own, such as its time or its outputs. */
function failureOfRun({ error }: ReportedRun): readonly Failure[] {
  return error === undefined || error.code === 'Interrupted' ? [] : [{ path: error.path ?? 'run', error }]
}

function distinct(failures: readonly Failure[]): readonly Failure[] {
  const seen = new Map<string, Failure>()
  for (const failure of failures) {
    const { code, message } = failure.error
    const key = JSON.stringify([failure.path, code, message])
    if (!seen.has(key)) seen.set(key, failure)
  }
  return [...seen.values()]
}

function errorBlock({ path, error }: Failure, state: RunState, paint: Paint): readonly string[] {
  const { code, message, requestId } = error
  const step = state.stepOf(path)
  const items = step?.path === path ? step : undefined
  const named = items?.failedItems.map((failure) => failureText(failure, '', state.items)) ?? []
  const parts =
    named.length > 0
      ? named
      : (items?.failures ?? []).map((failure) => `item ${failure.index}: ${failure.code}: ${failure.message}`)
  const more = (items?.tally?.failed ?? 0) - parts.length
  return [
    '',
    `${paint.red(`${printableLine(state.items.label(path))}: ${printableLine(code)}`)}  ${printableLine(message)}`,
    ...parts.map((text) => `  ${printableLine(text)}`),
    ...(more > 0 && parts.length > 0 ? [`  and ${countText(more, 'more item')}`] : []),
    ...(requestId === undefined ? [] : [`  ${paint.dim('request id')}  ${printableLine(requestId)}`]),
    ...httpAnswerLines(error, paint).map((line) => `  ${line}`),
  ]
}

/** What to do about it. Whose place another run has taken needs nothing. */
function nextText({ code }: ErrorData, successor: string | undefined): string {
  if (code !== 'Cancelled' || successor === undefined) return errorRule(code).next
  return `${printableLine(successor)} has taken its place.`
}
