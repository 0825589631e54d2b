import { coreActions } from '../core-actions.ts'
import type { JsonObject } from '../json.ts'
import { createMask } from '../mask/mask.ts'
import { reachesOutside } from '../outside.ts'
import type { Plan } from '../plan.ts'
import { sensitiveInputs } from '../record/sensitive-inputs.ts'
import { knownInputs } from './known.ts'
import { type Span, simulate } from './simulate.ts'
import type { RunbookForecast, StepForecast, ValueForecast } from './step-forecast.ts'
import { type CallingStep, callingSteps, secretsRead, type Totals, totalsOf } from './totals.ts'
import { forecastValue } from './value-forecast.ts'
import type { ArgumentProblem, ForecastAction, WalkContext } from './walk-context.ts'
import { runbookScope, walkRunbook } from './walk-runbook.ts'

/** What a forecast is made of. */
export interface ForecastOptions {
  readonly plan: Plan
  /** Checked, defaults filled in. */
  readonly inputs: JsonObject
  /** Required inputs that are not given: what depends on them is not known. */
  readonly missingInputs?: readonly string[]
  readonly actions: readonly ForecastAction[]
  /** Actions of the plan about which nothing is known: a call of one counts as a create. */
  readonly notLoaded?: readonly string[]
  /** @default each connection is an account with one key */
  readonly countedFor?: WalkContext['countedFor']
  /** @default every moment has come */
  readonly millisecondsUntil?: WalkContext['millisecondsUntil']
}

/** What a run would do, as far as it can be said before it. */
export interface Forecast extends RunbookForecast {
  readonly totals: Totals
  /** What may run once at a time. */
  readonly concurrencyKey?: ValueForecast
  /** What is certain to go wrong. */
  readonly problems: readonly ArgumentProblem[]
}

/** Says what a run would do. Nothing is called: this is arithmetic on the plan. */
export function forecastPlan(options: ForecastOptions): Forecast {
  const { plan } = options
  const context = createContext(options)
  const inputs = knownInputs(options.inputs, options.missingInputs ?? [])
  const { forecast, task, usage } = walkRunbook(plan, inputs, context)
  const certain = simulate(task, false)
  const whole = simulate(task, true)
  const key = plan.concurrency && forecastValue(plan.concurrency.key, runbookScope(plan, inputs))
  return {
    ...withTimes(forecast, whole.spans),
    totals: totalsOf(forecast, usage, { leastMs: certain.endMs, wholeMs: whole.endMs }),
    ...(key === undefined ? {} : { concurrencyKey: key }),
    problems: context.problems,
  }
}

/** Everything about the arguments of a plan that is certain to go wrong with these inputs. */
export function argumentProblems(options: ForecastOptions): readonly ArgumentProblem[] {
  const context = createContext(options)
  walkRunbook(options.plan, knownInputs(options.inputs, options.missingInputs ?? []), context)
  const { inErrors } = createMask(sensitiveInputs(options.plan.inputs, options.inputs))
  return context.problems.map((problem) => ({ ...problem, message: inErrors.text(problem.message) }))
}

/** The names of the secrets that a run with these inputs can come to read, sorted. */
export function secretsNeeded(options: ForecastOptions): readonly string[] {
  return secretsRead(reachableSteps(options)).toSorted()
}

/** The steps that a run with these inputs can reach and whose calls can reach anything but the service. */
export function outsideSteps(options: ForecastOptions): readonly CallingStep[] {
  const outside = new Set(options.actions.filter(reachesOutside).map(({ name }) => name))
  return outside.size === 0
    ? []
    : callingSteps(reachableSteps(options)).filter(({ action }) => outside.has(action))
}

/** All steps; those with `runs: 'no'` are certain to be skipped. */
function reachableSteps(options: ForecastOptions): RunbookForecast {
  const inputs = knownInputs(options.inputs, options.missingInputs ?? [])
  // Single items of a loop do not matter: what the step can reach is what any of its items can.
  const context = { ...createContext(options), budget: { items: 0 } }
  return walkRunbook(options.plan, inputs, context).forecast
}

/** How many items of all loops together are looked at one by one. */
const walkedItems = 10_000

function createContext(options: ForecastOptions): WalkContext {
  const { plan } = options
  const actions = new Map([...coreActions, ...options.actions].map((action) => [action.name, action]))
  const children = plan.children ?? {}
  return {
    actions,
    notLoaded: new Set(options.notLoaded),
    children,
    walkRunbook,
    countedFor: options.countedFor ?? ((connection = '') => ({ account: connection, key: connection })),
    millisecondsUntil: options.millisecondsUntil ?? (() => 0),
    path: '',
    isCertain: true,
    isMeasured: true,
    problems: [],
    budget: { items: walkedItems },
  }
}

function withTimes(runbook: RunbookForecast, spans: ReadonlyMap<string, Span>): RunbookForecast {
  const timed = (steps: readonly StepForecast[]): readonly StepForecast[] =>
    steps.map((step) => {
      const span = step.runs === 'no' ? undefined : spans.get(step.path)
      const { uses } = step
      return {
        ...step,
        ...(span === undefined ? {} : { shortestMs: span.endMs - span.startMs }),
        ...(uses?.child === undefined ? {} : { uses: { ...uses, child: withTimes(uses.child, spans) } }),
        steps: timed(step.steps),
        finally: timed(step.finally),
      }
    })
  return { steps: timed(runbook.steps), catch: runbook.catch, finally: timed(runbook.finally) }
}

export type { ForecastAction }
