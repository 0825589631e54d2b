import type { RunStatus, TimedRunEvent } from '../../../core/events.ts'
import type { Masking } from '../../../core/mask/index.ts'
import type { RecordedEvent, RunRecord } from '../../../core/record/index.ts'
import type { ErrorData } from '../../../core/run-error.ts'
import { createItemNames, type ItemNames } from './item-names.ts'
import { type PlannedStep, type RunFacts, runFacts } from './run-facts.ts'
import { enclosingPaths, isItem } from './step-paths.ts'
import { type CreatedOutputs, isDone, isLoopView, pendingStep, type StepView } from './step-view.ts'
import { begin, type StepEvent, takeItemEnd, takeStepEvent } from './take-step-event.ts'
import { madeAtEnd, noWrites, takeWrite } from './writes.ts'

/** What a screen shows of a run, from the events so far. */
export interface RunTree {
  readonly runId: string | undefined
  readonly runbook: string
  readonly title: string | undefined
  readonly startedAt: number | undefined
  /** Time of the last event. */
  readonly lastAt: number | undefined
  /** Number of starts and resumes of the run. */
  readonly begins: number
  /** No process executed it, and its cancellation is executed in its place. */
  readonly isCancelled: boolean
  /** The steps that are inside no other, in the order of the runbook. */
  readonly steps: readonly StepView[]
  /** How the run ended, once it has. */
  readonly status: RunStatus | undefined
  /** All approvals are given in advance. */
  readonly approvesAll: boolean
  /** At least one call was answered. */
  readonly wasAnswered: boolean
  /** The first warnings in answers. */
  readonly warnings: readonly { readonly path: string; readonly message: string }[]
  /** Failures that a `catch` handled, inside loops too: their number, and the first ones. */
  readonly caught: { readonly count: number; readonly first: readonly ErrorData[] }
  /** The outputs of steps that create something, the first ones. */
  readonly made: readonly CreatedOutputs[]
  /** The path of the first write that succeeded, where a `catch` or `finally` has written since: it may be undone. */
  readonly maybeUndone: string | undefined
  /** The steps and items of loops that have written, in the order of their first calls. */
  readonly writes: readonly string[]
  /** The steps that have created something in a `finally` that the next ending runs again. */
  readonly madeAtEnd: readonly string[]
  /** The items of loops by their paths, also those that have ended. */
  readonly items: ItemNames
  /** The step or loop item that a call belongs to, if it is kept. */
  stepOf(path: string): StepView | undefined
}

/** A run view that takes events. */
export interface LiveRunTree extends RunTree {
  take(event: TimedRunEvent): void
}

const keptWarnings = 20

/** Creates the view of a run that has no events yet. */
export function createRunTree(facts: Partial<RunFacts> = {}): LiveRunTree {
  const { planned = [], approvesAll = false, hasBegun = false, keptItems = 0, mask, itemsOf } = facts
  const steps = new Map<string, StepView>()
  const writes = noWrites()
  const troubles: Troubles = { warnings: [], caught: { count: 0, first: [] } }
  const items = createItemNames(mask, itemsOf)
  const keepsItems = ({ progress }: StepView): boolean =>
    keptItems > 0 && (progress === undefined || progress.total <= keptItems)
  const take = (step: StepView, event: StepEvent): void => {
    if (isItem(step.path)) step.startedAt ??= Date.parse(event.at)
    takeStepEvent(step, event, keepsItems(step))
    if (event.type === 'attempt_succeeded') state.wasAnswered = true
    keepTroubles(troubles, event)
    const failure = failureOf(event)
    if (failure) for (const outer of enclosingPaths(event.path)) setLastFailure(find(steps, outer), failure)
    takeWrite(writes, facts, step, event)
  }
  const state = {
    runId: undefined as string | undefined,
    runbook: '',
    title: undefined as string | undefined,
    startedAt: undefined as number | undefined,
    lastAt: undefined as number | undefined,
    begins: hasBegun ? 1 : 0,
    isCancelled: hasBegun === 'cancelled',
    approvesAll,
    status: undefined as RunStatus | undefined,
    wasAnswered: false,
    ...troubles,
    items,
    get steps(): readonly StepView[] {
      return [...steps.values()]
    },
    get writes(): readonly string[] {
      return [...writes.written.keys()]
    },
    get madeAtEnd(): readonly string[] {
      return madeAtEnd(writes, facts, (path) => find(steps, path)?.status === 'succeeded')
    },
    get made(): readonly CreatedOutputs[] {
      return [...writes.made.values()]
    },
    get maybeUndone(): string | undefined {
      return writes.maybeUndone
    },
    stepOf: (path: string) => nearestOf(steps, path),
    take(event: TimedRunEvent): void {
      state.runId ??= event.run_id
      state.lastAt = Date.parse(event.at)
      items.take(event)
      if (isTolerated(event)) for (const outer of enclosingPaths(event.path)) setTolerated(find(steps, outer))
      if (event.type === 'run_started') {
        state.begins++
        state.runbook = event.runbook
        state.title = event.title
        state.startedAt ??= Date.parse(event.at)
        state.status = undefined
        beginSteps(steps, [...event.steps, ...planned])
      } else if (event.type === 'run_finished') state.status = event.status
      else if (event.type === 'item_finished') {
        const loop = nearestOf(steps, event.path.replace(/\[\d+\]$/, ''))
        if (loop) takeItemEnd(loop, event, keepsItems(loop))
      } else if ('path' in event && (event.type !== 'waiting' || event.reason !== 'timeout')) {
        const step = add(steps, event.path)
        if (step) take(step, event)
      }
    },
  }
  return state
}

interface Troubles {
  readonly warnings: { path: string; message: string }[]
  readonly caught: { count: number; readonly first: ErrorData[] }
}

function keepTroubles({ warnings, caught }: Troubles, event: StepEvent): void {
  if (event.type === 'attempt_succeeded')
    for (const message of event.warnings ?? [])
      if (warnings.length < keptWarnings) warnings.push({ path: event.path, message })
  if (event.type !== 'step_finished' || !event.caught) return
  caught.count++
  if (caught.first.length < keptWarnings) caught.first.push({ path: event.path, ...event.caught })
}

/** What is not done is pending again, and so is what the run lists. */
function beginSteps(steps: Map<string, StepView>, listed: readonly PlannedStep[]): void {
  for (const step of steps.values()) if (!isDone(step)) begin(step)
  for (const step of listed) if (!find(steps, step.path)) add(steps, step.path, { ...step, isPlanned: true })
}

function find(steps: ReadonlyMap<string, StepView>, path: string): StepView | undefined {
  const found = nearestOf(steps, path)
  return found?.path === path ? found : undefined
}

/** The innermost known step along a path. */
function nearestOf(steps: ReadonlyMap<string, StepView>, path: string): StepView | undefined {
  let found: StepView | undefined
  for (const place of enclosingPaths(path)) {
    const next = (found?.inner ?? steps).get(place)
    if (!next) break
    found = next
  }
  return found
}

/** The step or item at a path. Unknown ones, such as an item that begins, are created. */
function add(
  steps: Map<string, StepView>,
  path: string,
  step?: Parameters<typeof pendingStep>[0],
): StepView | undefined {
  let found: StepView | undefined
  for (const place of enclosingPaths(path)) {
    const siblings = found?.inner ?? steps
    let next = siblings.get(place)
    if (!next) {
      next = pendingStep(place === step?.path ? step : { path: place, action: '' })
      if (isItem(place)) next.status = 'running'
      siblings.set(place, next)
    }
    found = next
  }
  return found
}

/** The final failure that an event reports, with the path of its step. */
function failureOf(event: StepEvent): ErrorData | undefined {
  const isFinal = event.type === 'step_finished' || (event.type === 'attempt_failed' && !event.is_repeated)
  if (!isFinal || !event.error) return undefined
  return { ...event.error, path: enclosingPaths(event.error.path ?? event.path).at(-1) ?? event.path }
}

function setLastFailure(step: StepView | undefined, failure: ErrorData): void {
  // A loop shows the failure of an item once the item has ended with it.
  if (step && !isLoopView(step)) step.lastFailure = failure
}

/** Whether a step failed and the run continues, or succeeded although items of it failed. */
export function isTolerated(
  event: TimedRunEvent,
): event is StepEvent & { readonly type: 'step_finished' | 'item_finished' } {
  if (event.type === 'step_finished' && event.is_warning) return true
  const isEnd = event.type === 'step_finished' || event.type === 'item_finished'
  return isEnd && event.status === 'succeeded' && event.failed_items !== undefined
}

function setTolerated(step: StepView | undefined): void {
  if (step) step.hasTolerated = true
}

/** The view of a recorded run, from its events. */
export function runTreeOf(
  { plan, inputs }: Pick<RunRecord, 'plan'> & Partial<Pick<RunRecord, 'inputs'>>,
  events: Iterable<RecordedEvent>,
  mask: Masking,
): RunTree {
  const state = createRunTree({ ...runFacts(plan, inputs), mask })
  for (const { event } of events) state.take(event)
  return state
}
