import type { TimedRunEvent } from '../../../core/events.ts'
import { pendingStep, type StepView } from './step-view.ts'
import { keepMade, takeStepEvent } from './take-step-event.ts'

/** Everything about a run that its events have said so far. */
export interface RunState {
  readonly runId: string | undefined
  readonly runbook: string
  readonly title: string | undefined
  readonly startedAt: number | undefined
  /** In the order of the runbook. */
  readonly steps: readonly StepView[]
  /** The service, or an action, has answered at least once. */
  readonly wasAnswered: boolean
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

/** The path of the step in the path of a call: `hosts` of `hosts[3]/group-2`. */
function stepPath(path: string): string {
  return path.split(/[[/]/, 1)[0] ?? path
}

/** `creating`: the actions that make something new; what they answered is kept. */
export function createRunState(creating: ReadonlySet<string> = new Set()): LiveRunState {
  const steps = new Map<string, StepView>()
  const warnings: { path: string; message: string }[] = []
  const state = {
    runId: undefined as string | undefined,
    runbook: '',
    title: undefined as string | undefined,
    startedAt: undefined as number | undefined,
    wasAnswered: false,
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
      } else if (event.type !== 'run_finished') {
        if (event.type === 'attempt_succeeded') {
          state.wasAnswered = true
          for (const message of event.warnings ?? []) {
            if (warnings.length < keptWarnings) warnings.push({ path: event.path, message })
          }
        }
        const step = state.stepOf(event.path)
        if (step) takeStepEvent(step, event)
        if (step && event.type === 'step_finished' && creating.has(step.action)) keepMade(step, event)
      }
    },
  }
  return state
}
