import { coreActions } from '../core-actions.ts'
import type { JsonObject } from '../json.ts'
import type { Plan } from '../plan.ts'
import { hiddenReferences } from './hidden-references.ts'
import { type KnownScope, known, knownInputs, knownMap, unknown } from './known.ts'
import type { Reference } from './references.ts'
import { simulate } from './simulate.ts'
import type { CatchForecast, StepForecast, ValueForecast } from './step-forecast.ts'
import type { Task } from './task.ts'
import { type Totals, totalsOf } from './totals.ts'
import { forecastValue } from './value-forecast.ts'
import type { ArgumentProblem, ForecastAction, Usage, WalkContext } from './walk-context.ts'
import { walkCatch, walkSteps, withUnknownSteps } from './walk-steps.ts'

/** What a forecast is made of. */
export interface ForecastOptions {
  readonly plan: Plan
  /** Checked, defaults filled in. */
  readonly inputs: JsonObject
  /** Required inputs that are not given: what depends on them is not known. */
  readonly missingInputs?: readonly string[]
  readonly actions: readonly ForecastAction[]
  /** @default each connection is an account with one key */
  readonly countedFor?: WalkContext['countedFor']
  /** @default every moment has come */
  readonly millisecondsUntil?: WalkContext['millisecondsUntil']
}

/** What a run would do, as far as it can be said before it. */
export interface Forecast {
  readonly steps: readonly StepForecast[]
  readonly catch: readonly CatchForecast[]
  readonly finally: readonly StepForecast[]
  readonly totals: Totals
  /** What may run once at a time. */
  readonly concurrencyKey?: ValueForecast
  /** Inputs whose values are not shown: they end up in sensitive arguments. */
  readonly hiddenInputs: readonly string[]
  /** What is certain to go wrong. */
  readonly problems: readonly ArgumentProblem[]
}

/** Says what a run would do. Nothing is called: this is arithmetic on the plan. */
export function forecastPlan(options: ForecastOptions): Forecast {
  const walked = walkPlan(options)
  const certain = simulate(walked.task, false)
  const whole = simulate(walked.task, true)
  const timed = (steps: readonly StepForecast[]): readonly StepForecast[] =>
    steps.map((step) => {
      const span = step.runs === 'no' ? undefined : whole.spans.get(step.path)
      return {
        ...step,
        ...(span === undefined ? {} : { shortestMs: span.endMs - span.startMs }),
        steps: timed(step.steps),
        finally: timed(step.finally),
      }
    })
  const { steps, catch: caught, finally: cleanUp, usage, hidden, problems, concurrencyKey } = walked
  return {
    steps: timed(steps),
    catch: caught,
    finally: timed(cleanUp),
    totals: totalsOf(walked, usage, { leastMs: certain.endMs, wholeMs: whole.endMs }),
    ...(concurrencyKey === undefined ? {} : { concurrencyKey }),
    hiddenInputs: [
      ...new Set(hidden.flatMap(([root, name]) => (root === 'inputs' ? [String(name ?? '')] : []))),
    ],
    problems,
  }
}

/** Everything about the arguments of a plan that is certain to go wrong with these inputs. */
export function argumentProblems(options: ForecastOptions): readonly ArgumentProblem[] {
  return walkPlan(options).problems
}

interface WalkedPlan {
  readonly steps: readonly StepForecast[]
  readonly catch: readonly CatchForecast[]
  readonly finally: readonly StepForecast[]
  readonly task: Task
  readonly usage: readonly Usage[]
  readonly concurrencyKey?: ValueForecast
  readonly hidden: readonly Reference[]
  readonly problems: readonly ArgumentProblem[]
}

/** How many items of all loops together are looked at one by one. */
const walkedItems = 10_000

function walkPlan(options: ForecastOptions): WalkedPlan {
  const { plan, inputs, missingInputs = [] } = options
  const actions = new Map([...coreActions, ...options.actions].map((action) => [action.name, action]))
  const context: WalkContext = {
    actions,
    countedFor: options.countedFor ?? ((connection = '') => ({ account: connection, key: connection })),
    millisecondsUntil: options.millisecondsUntil ?? (() => 0),
    hidden: hiddenReferences(plan, actions),
    path: '',
    isCertain: true,
    isMeasured: true,
    problems: [],
    budget: { items: walkedItems },
  }
  const scope: KnownScope = {
    inputs: knownInputs(inputs, missingInputs),
    run: knownMap({ name: known(plan.name), id: unknown, started_at: unknown, outcome: unknown }),
    steps: knownMap({}),
  }
  const main = walkSteps(plan.steps, scope, context)
  const ids = Object.keys(main.steps)
  const cleanUp = walkSteps(plan.finally ?? [], withUnknownSteps(scope, ids), context)
  return {
    steps: main.forecast,
    catch: walkCatch(plan.catch, scope, ids, context),
    finally: cleanUp.forecast,
    task: { kind: 'sequence', tasks: [main.task, cleanUp.task] },
    usage: [...main.usage, ...cleanUp.usage],
    ...(plan.concurrency === undefined
      ? {}
      : { concurrencyKey: forecastValue(plan.concurrency.key, scope, context.hidden) }),
    hidden: context.hidden,
    problems: context.problems,
  }
}

export type { ForecastAction }
