import type { ActionDescription } from '../action.ts'

import type { ErrorCode } from '../errors.ts'
import type { Expression, Template } from '../expressions/tree.ts'
import type { JsonSchema } from '../json.ts'
import type { InputSettings } from './input-setting.ts'

/** A runbook, compiled: plain JSON that an engine can keep, send and run without the file it came from. */
export interface Plan {
  readonly language: 'opsbook/v1'
  /** Raised when the shape of plans changes. */
  readonly version: 1
  /** SHA-256 of what the plan does, in hex: two plans with one hash do the same, whatever their texts are. */
  readonly hash: string
  /** What it was compiled from, for people. Left out: it is longer than 200,000 characters. */
  readonly text?: string
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly inputs?: JsonSchema
  /** Names only; where each value comes from is configuration. */
  readonly secrets?: readonly string[]
  readonly triggers?: readonly TriggerPlan[]
  readonly concurrency?: ConcurrencyPlan
  readonly timeoutMs?: number
  readonly steps: readonly StepPlan[]
  readonly finally?: readonly StepPlan[]
  /** Numbers of its steps are settings, which the inputs decide. */
  readonly hasSettings?: true
  /** A step of `finally` reads `run.took_seconds`. */
  readonly measuresTime?: true
  /** An expression reads `run.url`. */
  readonly readsUrl?: true
  readonly outputs?: Template
  /**
   * The runbooks that `core/run` steps call, here or in one another, each by its path from the folder of this runbook.
   * A child has none of its own.
   */
  readonly children?: Readonly<Record<string, Plan>>
}

/** How many runs of the runbook may be active at the same time for one key. */
export interface ConcurrencyPlan {
  readonly key: Template
  /** At least 1; more than 1 only with `wait` and `reject`. */
  readonly limit: number
  /** What a further start does. */
  readonly onConflict: 'skip' | 'reject' | 'wait'
}

/** One step of a plan. */
export type StepPlan = UsesStepPlan | BlockStepPlan | ParallelStepPlan | ChooseStepPlan

interface StepCommon {
  readonly id: string
  readonly name?: string
  readonly description?: string
  readonly if?: Expression
  readonly forEach?: ForEachPlan
  readonly timeoutMs?: number
  readonly continueOnError?: true
  readonly catch?: readonly CatchPlan[]
  readonly outputs?: Template
  /** A later step, or the outputs of the run, can read the outputs of this one. */
  readonly isRead: boolean
  /** The only fields of its outputs that are read. Left out: it can be any. */
  readonly fieldsRead?: readonly string[]
  /** The step of the same block after which nothing can read them any more. Left out where something else can. */
  readonly lastReader?: string
}

/** Calls an action. */
export interface UsesStepPlan extends StepCommon {
  readonly kind: 'uses'
  readonly uses: UsesPlan
}

/** Steps one after another, in a scope of their own. */
export interface BlockStepPlan extends StepCommon {
  readonly kind: 'block'
  /** The steps run in turns; `finally` runs once, after the last turn. Never together with `forEach`. */
  readonly turns?: TurnsPlan
  readonly steps: readonly StepPlan[]
  readonly finally?: readonly StepPlan[]
}

/** How a block is repeated. */
export interface TurnsPlan extends InputSettings<'intervalMs'> {
  /** The values of the first turn. */
  readonly with?: Template
  /** The values of the next turn. What it leaves out stays. */
  readonly next?: Template
  readonly until: Expression
  readonly atMost: number
  /** Pause between two turns. */
  readonly intervalMs: number
  readonly collect?: Template
}

/** Branches at the same time. */
export interface ParallelStepPlan extends StepCommon, InputSettings<'maxParallel'> {
  readonly kind: 'parallel'
  readonly branches: readonly StepPlan[]
  readonly maxParallel?: number
  readonly onBranchError: 'wait-all' | 'cancel-others'
}

/** One of several blocks: the first whose condition is true. */
export interface ChooseStepPlan extends StepCommon {
  readonly kind: 'choose'
  readonly choices: readonly ChoicePlan[]
}

/** One branch of `choose`. Without a condition it counts whenever it is reached. */
export interface ChoicePlan {
  readonly when?: Expression
  readonly steps: readonly StepPlan[]
}

export interface CatchPlan {
  /** The codes it is for, or `all`. */
  readonly errors: readonly ErrorCode[] | 'all'
  /** A condition on the failure; sees `error`. */
  readonly when?: Expression
  readonly steps: readonly StepPlan[]
  /** With `then: fail`: the steps run, and the failure stays the failure that it was. */
  readonly keepsFailure?: true
}

export interface ForEachPlan extends InputSettings<'maxParallel'> {
  readonly items: Template
  /** Under which name the body sees the item. */
  readonly as: string
  readonly maxParallel: number
  readonly tolerate: Tolerance
  /** Something reads what became of each item: the list is kept. */
  readonly keepsItems?: true
}

/** The call of an action. What the action is has been looked up when the plan was made. */
export interface UsesPlan {
  readonly action: Pick<
    ActionDescription,
    'name' | 'safety' | 'batch' | 'sensitiveInput' | 'sensitiveOutput' | 'isLocal'
  >
  readonly with: Template
  /** Name of the connection; left out: the default one. */
  readonly connection?: string
  readonly retry: RetryPolicy
  /** A condition on the failure, for each repeat; sees `error`. */
  readonly retryWhen?: Expression
  readonly throttle: ThrottlePolicy
  readonly tolerate: Tolerance
  readonly expect?: readonly ExpectationPlan[]
  readonly repeat?: RepeatPlan
  readonly saveAs?: Template
  readonly attemptTimeoutMs?: number
  /** With `core/run`: which of the plan's children it is. */
  readonly runbook?: string
  /** The positions of secrets in the arguments. */
  readonly secrets?: readonly SecretPosition[]
  /** With `core/listen`: the events that it waits for. */
  readonly listen?: ListenPlan
}

/** The events that a step waits for. */
export interface ListenPlan {
  /** The hook that receives the events. Exactly one of `hook` and `callback` is given. */
  readonly hook?: string
  /** The callback of the run that receives them. */
  readonly callback?: string
  /** Sees `event`. Left out: any event. */
  readonly where?: Expression
}

/** How many failed items a step accepts. */
export type Tolerance = number | { readonly percent: number } | 'all'

/** How a failed call is repeated. */
export interface RetryPolicy extends InputSettings<'attempts'> {
  /**
   * Attempts in all, the first one included.
   * @default 1
   */
  readonly attempts: number
  /**
   * Pause before the first repeat, in milliseconds.
   * @default 1000
   */
  readonly delayMs: number
  /**
   * Factor from one pause to the next.
   * @default 2
   */
  readonly backoff: number
  /**
   * No pause is longer, in milliseconds.
   * @default 30000
   */
  readonly maxDelayMs: number
  /**
   * Share of a pause, from 0 to 1, by which it may be shorter: calls that failed together are then not repeated together.
   * @default 0
   */
  readonly jitter?: number
  /** Repeat these codes. Left out: the codes that the table of errors marks transient. */
  readonly errors?: readonly ErrorCode[]
  /** Never repeat these codes. */
  readonly except?: readonly ErrorCode[]
}

/** How long `RequestTooFrequently` is waited out. */
export interface ThrottlePolicy extends InputSettings<'maxWaitMs'> {
  /**
   * All pauses of one call together, in milliseconds; over it `RequestTooFrequently` is the failure.
   * @default 600000
   */
  readonly maxWaitMs: number
}

export interface ExpectationPlan {
  readonly that: Expression
  readonly message?: Template
}

export interface RepeatPlan extends InputSettings<'intervalMs' | 'maxWaitMs'> {
  readonly until: Expression
  readonly intervalMs: number
  readonly maxWaitMs: number
}

/** A secret that the action's host puts into the arguments, outside plan, journal and history. */
export interface SecretPosition {
  /** Keys from the root of the arguments. */
  readonly path: readonly string[]
  readonly name: string
}

export type TriggerPlan =
  | {
      readonly type: 'incident'
      readonly hook?: string
      readonly where?: Expression
      readonly dedupeKey?: Template
      readonly cooldown?: { readonly key?: Template; readonly forMs: number }
      readonly maxStarts: { readonly count: number; readonly perMs: number }
      readonly with?: Template
    }
  | {
      readonly type: 'schedule'
      readonly cron?: string
      readonly everyMs?: number
      readonly timezone: string
      readonly overlap: 'skip' | 'buffer-one' | 'cancel-other' | 'allow-all'
      readonly catchUpMs: number
      readonly with?: Template
    }
