import type { StepStatus, TimedRunEvent } from '../../../core/events.ts'
import { isCountedOnly } from '../../../core/people/index.ts'
import type { ErrorData } from '../../../core/run-error.ts'
import { isItem } from './step-paths.ts'
import { isDone, isLoopView, type Progress, type StepView, type Wait } from './step-view.ts'

/** An event that belongs to a step. */
export type StepEvent = Extract<TimedRunEvent, { readonly path: string }>

/** Updates the view of a step or loop item with an event. */
export function takeStepEvent(step: StepView, event: StepEvent, keepsItems: boolean): void {
  switch (event.type) {
    case 'step_started':
      begin(step)
      step.status = 'running'
      step.action = event.action
      step.startedAt = Date.parse(event.at)
      return
    case 'items_counted':
      step.progress = { unit: event.is_limit ? 'turns' : 'items', total: event.total, done: 0, failed: 0 }
      return
    case 'groups_counted':
      // For a loop, progress counts items.
      if (!isLoopView(step)) step.progress = { unit: 'groups', total: event.groups, done: 0, failed: 0 }
      return
    case 'item_started':
    case 'item_finished':
      return
    case 'waiting':
      step.waits.set(event.path, waitOf(step, event))
      return
    case 'answered': {
      const wait = step.waits.get(event.path)
      if (!isCountedOnly(event)) step.waits.delete(event.path)
      else if (wait) step.waits.set(event.path, { ...wait, counted: `${event.count} of ${event.needed}` })
      return
    }
    case 'logged':
      if (event.level !== 'debug') step.said = event.message
      return
    case 'inputs_hidden':
    case 'outputs_hidden':
      return
    case 'step_finished':
      finish(step, event, keepsItems)
      return
    default:
      takeAttemptEvent(step, event)
  }
}

/** Counts an item that has ended, and drops its view unless it is kept. */
export function takeItemEnd(
  loop: StepView,
  { path, status, at, failed_items: failed }: StepEvent & { type: 'item_finished' },
  isKept: boolean,
): void {
  const item = loop.inner.get(path)
  const failure = item?.lastFailure
  if (item && failed) item.failed = failed
  if (item && isKept) endItem(item, status, Date.parse(at))
  else loop.inner.delete(path)
  const hasFailed = status !== 'succeeded' && status !== 'skipped'
  if (hasFailed && failure) loop.lastFailure = failure
  advance(loop, loop.progress?.unit ?? 'items', hasFailed)
}

function endItem(item: StepView, status: StepStatus, endedAt: number): void {
  item.status = status
  item.endedAt = endedAt
  if (item.lastFailure && status !== 'succeeded') item.error = item.lastFailure
  item.waits.clear()
  item.troubles.clear()
}

/** Resets a step that its process left unfinished. Completed inner steps stay. */
export function begin(step: StepView): void {
  step.status = 'pending'
  step.attempts = 0
  delete step.said
  step.waits.clear()
  step.troubles.clear()
  for (const key of [
    'endedAt',
    'calls',
    'branch',
    'startedAt',
    'progress',
    'error',
    'isWarning',
    'caught',
    'hasTolerated',
    'lastFailure',
    'failed',
  ] as const)
    delete step[key]
  for (const [path, inner] of step.inner) {
    if (isItem(path)) step.inner.delete(path)
    else if (!isDone(inner)) begin(inner)
    if (inner.hasTolerated && !isItem(path)) step.hasTolerated = true
  }
}

function finish(step: StepView, event: StepEvent & { type: 'step_finished' }, keepsItems: boolean): void {
  step.status = event.status
  // The event counts the calls of inner steps too; the view shows only the step's own.
  if (step.attempts === 0 && step.inner.size === 0 && !isLoopView(step)) step.attempts = event.attempts
  step.calls = event.attempts
  step.endedAt = Date.parse(event.at)
  if (event.branch !== undefined) step.branch = event.branch
  if (event.error) step.error = event.error
  if (event.caught) step.caught = event.caught
  if (event.is_warning) step.isWarning = true
  if (event.condition !== undefined) step.condition = event.condition
  if (event.failed_items) step.failed = event.failed_items
  step.waits.clear()
  step.troubles.clear()
  if (keepsItems) return
  for (const path of step.inner.keys()) if (isItem(path)) step.inner.delete(path)
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
    // A group that is retried has ended its round; the next round counts again.
    if (event.error.code !== 'RequestTooFrequently') advanceGroup(step, event.path, true)
    return
  }
  step.troubles.delete(event.path)
  advanceGroup(step, event.path, event.type === 'attempt_failed')
}

function advanceGroup(step: StepView, path: string, hasFailed: boolean): void {
  if (/^(\/poll-\d+)?\/group-\d+$/.test(path.slice(step.path.length))) advance(step, 'groups', hasFailed)
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
    since: Date.parse(event.at),
    ...(event.until === undefined ? {} : { until: event.until }),
    ...(event.message === undefined ? {} : { message: event.message }),
    ...(after === undefined ? {} : { after }),
  }
}

function lastOf(troubles: ReadonlyMap<string, ErrorData>, path: string): ErrorData | undefined {
  return [...troubles].filter(([of]) => of.startsWith(path)).at(-1)?.[1]
}

/** Ends the waits of a call and of the steps around it, since the call continues. */
function endWaits(step: StepView, path: string): void {
  for (const waiting of step.waits.keys()) {
    if (path === waiting || path.startsWith(`${waiting}/`)) step.waits.delete(waiting)
  }
}
