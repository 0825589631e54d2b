/** What a step will do, as far as it can be said before the run: what `plan` shows. */
import type { RateLimit } from '../action.ts'
import type { Tolerance } from '../batch.ts'
import type { ErrorCode } from '../errors.ts'
import type { JsonValue } from '../json.ts'
import type { RetryPolicy } from '../retry.ts'
import type { Calls } from './calls.ts'

/** What a call can do to the world. `local`: nothing is sent. */
export type Risk = 'local' | 'read' | 'idempotent' | 'create'

/** A value of the runbook. `needs`: the paths that only the run will bring. */
export type ValueForecast =
  | { readonly state: 'known'; readonly value: JsonValue }
  | { readonly state: 'open'; readonly source: string; readonly needs: readonly string[] }
  | { readonly state: 'failed'; readonly source: string; readonly message: string }
  /** Comes from the secret of this name. */
  | { readonly state: 'secret'; readonly secret: string }

/** An argument by its path in `with`, such as `tools` or `auth_config.token`. Empty for all of `with`. */
export type ArgumentForecast = ValueForecast & { readonly name: string }

/** The `if` of a step. */
export interface ConditionForecast {
  readonly source: string
  readonly state: 'true' | 'false' | 'open' | 'failed'
  /** Where it is open: the paths that only the run will bring. */
  readonly needs: readonly string[]
}

/** How the items of an action are split over calls. */
export interface BatchForecast {
  readonly argument: string
  readonly size: number
  /** How many items, where it is known. */
  readonly items: number | null
}

export interface LoopForecast {
  readonly items: ValueForecast
  /** How many, where it is known. */
  readonly count: number | null
  readonly as: string
  readonly maxParallel: number
  readonly tolerate: Tolerance
  /** Of one item, where it is the same for all that is known. */
  readonly callsPerItem: Calls
}

export interface CatchForecast {
  readonly errors: readonly ErrorCode[] | 'all'
  readonly steps: readonly StepForecast[]
}

/** A whole runbook. */
export interface RunbookForecast {
  readonly steps: readonly StepForecast[]
  readonly catch: readonly CatchForecast[]
  readonly finally: readonly StepForecast[]
}

/** The call of an action. */
export interface UsesForecast {
  readonly action: string
  readonly risk: Risk
  readonly connection?: string
  readonly limit?: RateLimit
  readonly arguments: readonly ArgumentForecast[]
  /** With `core/run`: the runbook that it runs. */
  readonly child?: RunbookForecast
  readonly batch?: BatchForecast
  readonly saveAs?: ValueForecast
  readonly retry: RetryPolicy
  readonly tolerate: Tolerance
  /** One attempt, in milliseconds. */
  readonly attemptTimeoutMs?: number
  readonly repeat?: { readonly until: string; readonly intervalMs: number; readonly maxWaitMs: number }
  readonly expect: readonly string[]
  /** The names of the secrets it reads. */
  readonly secrets: readonly string[]
}

export interface StepForecast {
  /** Stable name in the run, such as `hosts/checks`. */
  readonly path: string
  readonly id: string
  readonly name?: string
  readonly kind: 'uses' | 'block' | 'parallel'
  readonly condition?: ConditionForecast
  /** Whether it is done, as long as nothing fails. `open`: only the run can tell. */
  readonly runs: 'yes' | 'no' | 'open'
  readonly loop?: LoopForecast
  readonly uses?: UsesForecast
  /** Of all its items and everything inside it; inside a loop, for one item. */
  readonly calls: Calls
  /** The shortest time, in milliseconds; undefined inside loops, and where it is left out. */
  readonly shortestMs?: number
  readonly timeoutMs?: number
  readonly continueOnError: boolean
  /** The steps of a block, or the branches of `parallel`. */
  readonly steps: readonly StepForecast[]
  /** Branches at a time. */
  readonly maxParallel?: number
  readonly catch: readonly CatchForecast[]
  readonly finally: readonly StepForecast[]
}
