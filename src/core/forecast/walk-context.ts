import type { ActionDescription, InputProblem } from '../action.ts'
import type { JsonObject } from '../json.ts'
import type { Plan } from '../plan.ts'
import type { Calls } from './calls.ts'
import type { Evaluated, Known } from './known.ts'
import type { Risk, RunbookForecast, StepForecast } from './step-forecast.ts'
import type { Task } from './task.ts'

/** An action, and how its input is checked before a call. */
export interface ForecastAction extends ActionDescription {
  checkInput?(input: JsonObject): readonly InputProblem[]
}

/** Who a call is counted for: limits hold for an account, or for one of its keys. */
export interface Counted {
  readonly account: string
  readonly key: string
}

/** Something wrong that is certain to go wrong: found before the first call. */
export interface ArgumentProblem {
  /** Such as `hosts[3]/checks.with.tools[0]`. */
  readonly path: string
  readonly message: string
}

/** What walking a plan works with. */
export interface WalkContext {
  readonly actions: ReadonlyMap<string, ForecastAction>
  /** Actions that are not in that table, and may be there all the same. */
  readonly notLoaded: ReadonlySet<string>
  /** The runbooks that `core/run` steps call, by name. */
  readonly children: Readonly<Record<string, Plan>>
  /** Handed over, since a runbook holds steps and a step can hold a runbook. */
  walkRunbook(plan: Plan, inputs: Known, context: WalkContext): Walked<RunbookForecast>
  countedFor(connection: string | undefined): Counted
  /** Milliseconds from the start of the run to a moment (RFC 3339). */
  millisecondsUntil(moment: string): number
  /** The path of what holds the steps. */
  readonly path: string
  /** The steps are done for certain, as long as nothing fails: only then a wrong argument is a problem. */
  readonly isCertain: boolean
  /** Outside of loops: begin and end of each step can be told. */
  readonly isMeasured: boolean
  /** Where problems are gathered. */
  readonly problems: ArgumentProblem[]
  /** How many more items are walked through one by one. */
  readonly budget: { items: number }
}

/** The calls of one action over one connection. */
export interface Usage {
  readonly action: string
  readonly connection?: string
  readonly risk: Risk
  readonly calls: Calls
}

/** What walking a step, or a part of one, came to. */
export interface Walked<Forecast> {
  readonly forecast: Forecast
  readonly task: Task
  readonly usage: readonly Usage[]
}

/** What a step stands for, without its condition and its loop. */
export interface WalkedBody extends Walked<Pick<StepForecast, 'uses' | 'steps' | 'finally' | 'maxParallel'>> {
  /** The outputs, where they are known before the run. */
  readonly outputs?: Evaluated
  /** What `catch` and the step's own `outputs` see as `steps`, beside the steps around it. */
  readonly inner: Readonly<Record<string, Known>>
}

/** Gathers a problem, where it is certain to be met. */
export function addProblem({ problems, isCertain, path }: WalkContext, at: string, message: string): void {
  if (isCertain) problems.push({ path: path + at, message })
}
