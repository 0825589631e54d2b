import type { RunStatus, TimedRunEvent } from '../../../core/events.ts'
import type { JsonValue } from '../../../core/json.ts'
import { isJsonObject } from '../../../core/json.ts'
import { successorIn } from '../../../core/record/successor.ts'
import type { ErrorData } from '../../../core/run-error.ts'
import { createItemNames, type ItemNames } from './item-names.ts'
import { isItem, placesOf } from './places.ts'
import type { RunFacts } from './run-facts.ts'
import { isDone, type Made, pendingStep, type StepView } from './step-view.ts'
import { begin, type StepEvent, takeItemEnd, takeStepEvent } from './take-step-event.ts'

/** Everything about a run that its events have said so far. */
export interface RunState {
  readonly runId: string | undefined
  readonly runbook: string
  readonly title: string | undefined
  readonly startedAt: number | undefined
  /** When something happened last. */
  readonly lastAt: number | undefined
  /** How often the run has begun or gone on. */
  readonly begins: number
  /** The steps that are inside no other, in the order of the runbook. */
  readonly steps: readonly StepView[]
  /** How the run ended, once it has. */
  readonly status: RunStatus | undefined
  /** The run that took its place, where it was cancelled for that. */
  readonly successor: string | undefined
  /** What people are asked has been answered with yes before. */
  readonly approvesAll: boolean
  /** The service, or an action, has answered at least once. */
  readonly wasAnswered: boolean
  /** What answers warned of, the first ones. */
  readonly warnings: readonly { readonly path: string; readonly message: string }[]
  /** Failures that a `catch` took the place of, inside loops too: how many, and the first ones. */
  readonly caught: { readonly count: number; readonly first: readonly ErrorData[] }
  /** What steps made that make something new, the first ones. */
  readonly made: readonly Made[]
  /** The items of loops by their paths, also those that have ended. */
  readonly items: ItemNames
  /** The step, or the item of a loop, that a call belongs to, as far as it is kept. */
  stepOf(path: string): StepView | undefined
}

/** A run state that follows its events. */
export interface LiveRunState extends RunState {
  take(event: TimedRunEvent): void
}

const keptWarnings = 20
const keptMade = 1000

/** The state of a run of which nothing has been told yet. */
export function createRunState({
  creates = () => false,
  planned = [],
  approvesAll = false,
  mask,
}: Partial<RunFacts> = {}): LiveRunState {
  const steps = new Map<string, StepView>()
  const warnings: { path: string; message: string }[] = []
  const made = new Map<string, Made>()
  const caught = { count: 0, first: [] as ErrorData[] }
  const items = createItemNames(mask)

  const take = (step: StepView, event: StepEvent): void => {
    if (isItem(step.path)) step.startedAt ??= Date.parse(event.at)
    takeStepEvent(step, event)
    if (event.type === 'attempt_succeeded') {
      state.wasAnswered = true
      for (const message of event.warnings ?? []) {
        if (warnings.length < keptWarnings) warnings.push({ path: event.path, message })
      }
    }
    if (event.type === 'step_finished' && event.caught) {
      caught.count++
      if (caught.first.length < keptWarnings) caught.first.push({ path: event.path, ...event.caught })
    }
    const failure = failureOf(event)
    if (failure) for (const outer of placesOf(event.path)) tellFailure(find(steps, outer), failure)
    if (event.type === 'step_finished' && creates(step.path, step.action) && made.size < keptMade) {
      const outputs = madeBy(event.outputs)
      if (outputs !== undefined) made.set(step.path, { path: step.path, outputs })
    }
  }
  const state = {
    runId: undefined as string | undefined,
    runbook: '',
    title: undefined as string | undefined,
    startedAt: undefined as number | undefined,
    lastAt: undefined as number | undefined,
    begins: 0,
    approvesAll,
    status: undefined as RunStatus | undefined,
    successor: undefined as string | undefined,
    wasAnswered: false,
    warnings,
    caught,
    items,
    get steps(): readonly StepView[] {
      return [...steps.values()]
    },
    get made(): readonly Made[] {
      return [...made.values()]
    },
    stepOf: (path: string) => nearestOf(steps, path),
    take(event: TimedRunEvent): void {
      state.runId ??= event.run_id
      state.lastAt = Date.parse(event.at)
      items.take(event)
      if (event.type === 'run_started') {
        state.begins++
        state.runbook = event.runbook
        state.title = event.title
        state.startedAt ??= Date.parse(event.at)
        state.status = undefined
        state.successor = undefined
        for (const step of steps.values()) if (!isDone(step)) begin(step)
        for (const step of [...event.steps, ...planned])
          if (!find(steps, step.path)) add(steps, step.path, { ...step, isPlanned: true })
      } else if (event.type === 'run_finished') state.status = event.status
      else if (event.type === 'run_cancelling') state.successor ??= successorIn(event.comment)
      else if (event.type === 'item_finished') {
        const loop = nearestOf(steps, event.path.replace(/\[\d+\]$/, ''))
        if (loop) takeItemEnd(loop, event)
      } else if ('path' in event && (event.type !== 'waiting' || event.reason !== 'timeout')) {
        const step = add(steps, event.path)
        if (step) take(step, event)
      }
    },
  }
  return state
}

function find(steps: ReadonlyMap<string, StepView>, path: string): StepView | undefined {
  const found = nearestOf(steps, path)
  return found?.path === path ? found : undefined
}

/** The innermost that is known of the places a path leads through. */
function nearestOf(steps: ReadonlyMap<string, StepView>, path: string): StepView | undefined {
  let found: StepView | undefined
  for (const place of placesOf(path)) {
    const next = (found?.inner ?? steps).get(place)
    if (!next) break
    found = next
  }
  return found
}

/** The place a path leads to. Places that nobody has told of, such as an item that begins, are made. */
function add(
  steps: Map<string, StepView>,
  path: string,
  step?: Parameters<typeof pendingStep>[0],
): StepView | undefined {
  let found: StepView | undefined
  for (const place of placesOf(path)) {
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

/** Why something has failed for good, and in which step, as far as an event says it. */
function failureOf(event: StepEvent): ErrorData | undefined {
  const isFinal = event.type === 'step_finished' || (event.type === 'attempt_failed' && !event.is_repeated)
  if (!isFinal || !event.error) return undefined
  return { ...event.error, path: placesOf(event.error.path ?? event.path).at(-1) ?? event.path }
}

function tellFailure(step: StepView | undefined, failure: ErrorData): void {
  // A loop shows the failure of an item once the item has ended with it.
  if (step && step.progress?.unit !== 'items') step.lastFailure = failure
}

/** What came of a step that makes something new: of a loop, what came of each item. */
function madeBy(outputs: JsonValue | undefined): JsonValue | undefined {
  const items = isJsonObject(outputs) && Array.isArray(outputs['items']) ? outputs['items'] : undefined
  const made = items
    ? items.flatMap((item: JsonValue) => (isJsonObject(item) && item['outputs'] ? [item['outputs']] : []))
    : outputs
  return Array.isArray(made) && made.length === 0 ? undefined : made
}
