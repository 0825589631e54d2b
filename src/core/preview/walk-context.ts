import type { ActionDescription, ConnectionLimit, InputProblem } from '../action.ts'
import type { CallCollector } from '../approval/gather-writes.ts'
import type { Evaluated, Known } from '../expressions/known.ts'
import type { JsonObject } from '../json.ts'
import type { Plan } from '../plan/plan.ts'
import type { Task } from './shortest-time.ts'
import {
  addCalls,
  type Calls,
  eitherCalls,
  type Risk,
  type RunbookPreview,
  type StepPreview,
} from './step-preview.ts'

/** An action, and how its input is checked before a call. */
export interface PreviewAction extends ActionDescription {
  checkInput?(input: JsonObject): readonly InputProblem[]
}

/** Who a call is counted for: limits hold for an account, or for one of its keys. */
export interface Counted {
  readonly account: string
  readonly key: string
  /** The limit of an HTTP connection. */
  readonly limit?: ConnectionLimit
}

/** Something wrong that is certain to go wrong: found before the first call. */
export interface ArgumentProblem {
  /** Such as `hosts[3]/checks.with.tools[0]`. */
  readonly path: string
  readonly message: string
}

/** Checks inputs against what a runbook declares. */
export type CheckChildInputs = (
  child: Plan,
  given: JsonObject,
) => { readonly problems: readonly InputProblem[] }

/** What walking a plan works with. */
export interface WalkContext {
  readonly actions: ReadonlyMap<string, PreviewAction>
  /** Actions that are not in that table, and may be there all the same. */
  readonly notLoaded: ReadonlySet<string>
  /** The runbooks that `core/run` steps call, by name. */
  readonly children: Readonly<Record<string, Plan>>
  /** A parameter, since a runbook holds steps and a step can hold a runbook. */
  walkRunbook(plan: Plan, inputs: Known, context: WalkContext): Walked<RunbookPreview>
  countedFor(connection: string | undefined): Counted
  /** Milliseconds from the start of the run to a point in time (RFC 3339). */
  millisecondsUntil(moment: string): number
  /** The path of what holds the steps. */
  readonly path: string
  /** The steps are done for certain, as long as nothing fails: only then a wrong argument is a problem. */
  readonly isCertain: boolean
  /** Outside of loops: the begin and end of each step can be computed. */
  readonly isMeasured: boolean
  /** Where problems are gathered. */
  readonly problems: ArgumentProblem[]
  /** The files that are certain to be written, by the paths of their calls. */
  readonly files: Map<string, string>
  /** What is wrong with the inputs of a child; left out: they are not checked. */
  readonly checkInputs?: CheckChildInputs | undefined
  /** How many more items are walked through one by one. */
  readonly budget: { items: number }
  /** Receives each call of what can run, of each item by its own path. Failures and clean-up are left out. */
  readonly calls?: CallCollector | undefined
}

/** The calls of one action over one connection, or those of one of several branches. */
export type Usage = ActionUsage | { readonly either: readonly (readonly Usage[])[] }

export interface ActionUsage {
  readonly action: string
  readonly connection?: string
  readonly risk: Risk
  readonly calls: Calls
}

/** All calls together, or those of some actions. */
export function callsIn(
  usage: readonly Usage[],
  isCounted: (usage: ActionUsage) => boolean = () => true,
): Calls {
  return addCalls(
    usage.flatMap((one) => {
      if ('either' in one) return [eitherCalls(one.either.map((branch) => callsIn(branch, isCounted)))]
      return isCounted(one) ? [one.calls] : []
    }),
  )
}

/** The same usage with other counts. */
export function mapCalls(usage: readonly Usage[], change: (calls: Calls) => Calls): readonly Usage[] {
  return usage.map((one) =>
    'either' in one
      ? { either: one.either.map((branch) => mapCalls(branch, change)) }
      : { ...one, calls: change(one.calls) },
  )
}

/** What walking a step, or a part of one, came to. */
export interface Walked<Preview> {
  readonly preview: Preview
  readonly task: Task
  readonly usage: readonly Usage[]
}

/** Steps one after another, and what is known of them afterwards. */
export interface WalkedSteps extends Walked<readonly StepPreview[]> {
  readonly steps: Readonly<Record<string, Known>>
}

/** What a step stands for, without its condition and its loop. */
export interface WalkedBody
  extends Walked<Pick<StepPreview, 'uses' | 'steps' | 'finally' | 'max_parallel' | 'branches' | 'repeat'>> {
  /** The outputs, where they are known before the run. */
  readonly outputs?: Evaluated
  /** Of a choice: the branch that runs, as later steps see it. */
  readonly branch?: Known
  /** Whether a branch runs at all. @default yes */
  readonly runs?: StepPreview['runs']
  /** What `catch` and the step's own `outputs` see as `steps`, beside the steps around it. */
  readonly inner: Readonly<Record<string, Known>>
}

/** How many items of all loops together are looked at one by one. */
export const walkedItems = 10_000

/** Gathers a problem, where it is certain to be met. */
export function addProblem({ problems, isCertain, path }: WalkContext, at: string, message: string): void {
  if (isCertain) problems.push({ path: path + at, message })
}
