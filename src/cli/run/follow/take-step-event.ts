import type { TimedRunEvent } from '../../../core/events.ts'
import { isJsonObject, type JsonValue } from '../../../core/json.ts'
import type { ErrorData } from '../../../core/run-error.ts'
import type { Progress, StepView, Wait } from './step-view.ts'

const keptFailures = 5

/** An event that belongs to a step. */
export type StepEvent = Exclude<TimedRunEvent, { type: 'run_started' | 'run_finished' }>

/** Brings a step up to date. */
export function takeStepEvent(step: StepView, event: StepEvent): void {
  switch (event.type) {
    case 'step_started':
      step.status = 'running'
      step.startedAt = Date.parse(event.at)
      return
    case 'items_counted':
      step.progress = { unit: 'items', total: event.total, done: 0, failed: 0 }
      return
    case 'groups_counted':
      // Inside a loop the items are the progress.
      if (event.path === step.path)
        step.progress = { unit: 'groups', total: event.groups, done: 0, failed: 0 }
      return
    case 'item_finished':
      advance(step, 'items', event.status !== 'succeeded')
      forget(step, event.path)
      return
    case 'waiting':
      step.waits.set(event.path, waitOf(step, event))
      return
    case 'answered':
      endWaits(step, event.path)
      return
    case 'logged':
      return
    case 'step_finished':
      step.status = event.status
      step.attempts = event.attempts
      step.endedAt = Date.parse(event.at)
      if (event.error) step.error = event.error
      takeFailures(step, event.outputs)
      if (event.condition !== undefined) step.condition = event.condition
      forget(step, step.path)
      return
    default:
      takeAttemptEvent(step, event)
  }
}

function takeAttemptEvent(step: StepView, event: StepEvent & { attempt: number }): void {
  if (event.type === 'attempt_started') {
    step.attempts++
    endWaits(step, event.path)
    return
  }
  endWaits(step, event.path)
  if (event.type === 'attempt_failed' && event.is_repeated) {
    step.troubles.set(event.path, event.error)
    // A group that is repeated has ended its round; the next round is counted anew.
    if (event.error.code !== 'RequestTooFrequently') advanceGroup(step, event.path, true)
    return
  }
  step.troubles.delete(event.path)
  advanceGroup(step, event.path, event.type === 'attempt_failed')
}

/** Loops and batches count their failed items and name the first of them. */
function takeFailures(step: StepView, outputs: JsonValue | undefined): void {
  if (!isJsonObject(outputs)) return
  const { failures, failed, total } = outputs
  if (!Array.isArray(failures) || typeof failed !== 'number' || typeof total !== 'number') return
  step.tally = { total, failed }
  step.failures = failures
    .slice(0, keptFailures)
    .filter(isJsonObject)
    .map(({ index, code, message }) => ({
      index: Number(index),
      code: String(code),
      message: String(message),
    }))
}

/** Keeps what a step made that makes something new. */
export function keepMade(step: StepView, { outputs }: TimedRunEvent & { type: 'step_finished' }): void {
  const items = isJsonObject(outputs) && Array.isArray(outputs['items']) ? outputs['items'] : undefined
  const made = items
    ? items.flatMap((item: JsonValue) => (isJsonObject(item) && item['outputs'] ? [item['outputs']] : []))
    : outputs
  if (made !== undefined && !(Array.isArray(made) && made.length === 0)) step.made = made
}

function advanceGroup(step: StepView, path: string, hasFailed: boolean): void {
  if (path.startsWith(`${step.path}/group-`)) advance(step, 'groups', hasFailed)
}

function advance(step: StepView, unit: Progress['unit'], hasFailed: boolean): void {
  const { progress } = step
  if (progress?.unit !== unit) return
  const done = Math.min(progress.done + 1, progress.total)
  step.progress = { ...progress, done, failed: progress.failed + (hasFailed ? 1 : 0) }
}

function waitOf(step: StepView, event: StepEvent & { type: 'waiting' }): Wait {
  const isRepeat = event.reason === 'retry' || event.reason === 'throttle'
  const after = isRepeat ? (step.troubles.get(event.path) ?? lastOf(step.troubles, event.path)) : undefined
  return {
    reason: event.reason,
    ...(event.until === undefined ? {} : { until: event.until }),
    ...(after === undefined ? {} : { after }),
  }
}

function lastOf(troubles: ReadonlyMap<string, ErrorData>, path: string): ErrorData | undefined {
  return [...troubles].filter(([of]) => of.startsWith(path)).at(-1)?.[1]
}

/** A call goes on: neither it nor what it belongs to waits any longer. */
function endWaits(step: StepView, path: string): void {
  for (const waiting of step.waits.keys()) {
    if (path === waiting || path.startsWith(`${waiting}/`) || path.startsWith(`${waiting}[`)) {
      step.waits.delete(waiting)
    }
  }
}

/** Nothing under this path waits or is in trouble any longer. */
function forget(step: StepView, path: string): void {
  for (const map of [step.waits, step.troubles]) {
    for (const at of map.keys())
      if (at === path || at.startsWith(`${path}/`) || at.startsWith(`${path}[`)) map.delete(at)
  }
}
