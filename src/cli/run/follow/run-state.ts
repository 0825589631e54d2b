import type { ErrorCode } from '../../../core/errors.ts'
import type { RunStatus, StepStatus, TimedRunEvent } from '../../../core/events.ts'
import { isJsonObject, type JsonValue } from '../../../core/json.ts'
import type { ErrorData } from '../../../core/run-error.ts'

/** Why something waits, and until when where that is known (Unix time in milliseconds). */
export interface Wait {
  readonly reason: (TimedRunEvent & { type: 'waiting' })['reason']
  readonly until?: number
  /** What made it wait, for a pause before a repeat. */
  readonly after?: ErrorData
}

/** A step as the views show it. */
export interface StepView {
  readonly path: string
  readonly name?: string
  readonly action: string
  status: StepStatus | 'pending' | 'running'
  startedAt?: number
  endedAt?: number
  attempts: number
  /** Progress of a loop or of a batch. */
  progress?: Progress
  /** What waits at the moment, by the path of the call. */
  readonly waits: Map<string, Wait>
  /** The last failure of each call that has not ended yet. */
  readonly troubles: Map<string, ErrorData>
  error?: ErrorData
  /** The first items that failed, of a loop or of a batch. */
  failures?: readonly ItemFailure[]
  condition?: string
}

export interface ItemFailure {
  readonly index: number
  readonly code: string
  readonly message: string
}

export interface Progress {
  readonly unit: 'items' | 'groups'
  readonly total: number
  readonly done: number
  readonly failed: number
}

/** Everything about a run that its events have said so far. */
export interface RunState {
  readonly runId: string | undefined
  readonly runbook: string
  readonly title: string | undefined
  readonly startedAt: number | undefined
  readonly status: RunStatus | 'running'
  /** In the order of the runbook. */
  readonly steps: readonly StepView[]
  /** The service, or an action, has answered at least once. */
  readonly wasAnswered: boolean
  readonly errorCode: ErrorCode | undefined
  /** What answers warned of, the first ones. */
  readonly warnings: readonly { readonly path: string; readonly message: string }[]
  /** The step that a call belongs to. */
  stepOf(path: string): StepView | undefined
}

/** A run state that follows its events. */
export interface LiveRunState extends RunState {
  take(event: TimedRunEvent): void
}

const keptWarnings = 20
const keptFailures = 5

/** The path of the step in the path of a call: `hosts` of `hosts[3]/group-2`. */
export function stepPath(path: string): string {
  return path.split(/[[/]/, 1)[0] ?? path
}

export function createRunState(): LiveRunState {
  const steps = new Map<string, StepView>()
  const warnings: { path: string; message: string }[] = []
  const state = {
    runId: undefined as string | undefined,
    runbook: '',
    title: undefined as string | undefined,
    startedAt: undefined as number | undefined,
    status: 'running' as RunState['status'],
    wasAnswered: false,
    errorCode: undefined as ErrorCode | undefined,
    warnings,
    get steps(): readonly StepView[] {
      return [...steps.values()]
    },
    stepOf: (path: string) => steps.get(path) ?? steps.get(stepPath(path)),
    take(event: TimedRunEvent): void {
      state.runId ??= event.run_id
      if (event.type === 'run_started') {
        state.runbook = event.runbook
        state.title = event.title
        state.startedAt = Date.parse(event.at)
        for (const step of event.steps) steps.set(step.path, pendingStep(step))
      } else if (event.type === 'run_finished') {
        state.status = event.status
        state.errorCode = event.error?.code
      } else {
        if (event.type === 'attempt_succeeded') {
          state.wasAnswered = true
          for (const message of event.warnings ?? []) {
            if (warnings.length < keptWarnings) warnings.push({ path: event.path, message })
          }
        }
        const step = state.stepOf(event.path)
        if (step) takeStepEvent(step, event)
      }
    },
  }
  return state
}

function pendingStep({ path, name, action }: { path: string; name?: string; action: string }): StepView {
  return {
    path,
    action,
    ...(name === undefined ? {} : { name }),
    status: 'pending',
    attempts: 0,
    waits: new Map(),
    troubles: new Map(),
  }
}

type StepEvent = Exclude<TimedRunEvent, { type: 'run_started' | 'run_finished' }>

function takeStepEvent(step: StepView, event: StepEvent): void {
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
    case 'step_finished':
      step.status = event.status
      step.attempts = event.attempts
      step.endedAt = Date.parse(event.at)
      if (event.error) step.error = event.error
      step.failures = failuresOf(event.outputs)
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

/** Loops and batches name their failed items in `failures`. */
function failuresOf(outputs: JsonValue | undefined): readonly ItemFailure[] {
  const failures = isJsonObject(outputs) ? outputs['failures'] : undefined
  if (!Array.isArray(failures)) return []
  return failures.slice(0, keptFailures).flatMap((failure: JsonValue) =>
    isJsonObject(failure)
      ? [
          {
            index: Number(failure['index']),
            code: String(failure['code']),
            message: String(failure['message']),
          },
        ]
      : [],
  )
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
