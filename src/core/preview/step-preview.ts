/**
 * What a step will do, as far as it can be said before the run. `plan --output json` prints it as it is, so no field changes
 * its meaning: see src/documents/plan.ts.
 */
import type { JsonValue } from '../json.ts'
import type { Settled } from '../plan/settings.ts'

/** How many calls are sent, without repeats after failures. */
export interface Calls {
  /** Sent in any case, as long as nothing fails. */
  readonly least: number
  /** The largest possible number; null: only the run can know it. */
  readonly most: number | null
}

export const noCalls: Calls = { least: 0, most: 0 }

export function exactly(count: number): Calls {
  return { least: count, most: count }
}

export function addCalls(all: readonly Calls[]): Calls {
  return all.reduce<Calls>(
    (sum, { least, most }) => ({
      least: sum.least + least,
      most: sum.most === null || most === null ? null : sum.most + most,
    }),
    noCalls,
  )
}

export function timesCalls({ least, most }: Calls, count: number): Calls {
  return { least: least * count, most: most === null ? (count === 0 ? 0 : null) : most * count }
}

/** The calls of one of several things. */
export function eitherCalls(all: readonly Calls[]): Calls {
  return {
    least: Math.min(...all.map(({ least }) => least)),
    most: all.some(({ most }) => most === null) ? null : Math.max(...all.map(({ most }) => most ?? 0)),
  }
}

/** The calls of something that may be left out. */
export function maybeCalls({ most }: Calls): Calls {
  return { least: 0, most }
}

/** The calls of something that happens once for each item of a list that is not yet known. */
export function unknownTimes({ most }: Calls): Calls {
  return { least: 0, most: most === 0 ? 0 : null }
}

/** What a call can do to the world. `local`: nothing is sent. */
export type Risk = 'local' | 'read' | 'idempotent' | 'create'

/** A value of the runbook. `needs`: the paths that only the run will bring. */
export type ValuePreview =
  | { readonly state: 'known'; readonly value: JsonValue }
  | {
      readonly state: 'open'
      readonly source: string
      readonly needs: readonly string[]
      /** Of a map of which something is known: its members, each by its path in the map. */
      readonly members?: readonly ArgumentPreview[]
    }
  | { readonly state: 'failed'; readonly source: string; readonly message: string }
  /** Comes from the secret of this name. */
  | { readonly state: 'secret'; readonly secret: string }

/** An argument by its path in `with`, such as `tools` or `auth_config.token`. Empty for all of `with`. */
export type ArgumentPreview = ValuePreview & { readonly name: string }

/** The `if` of a step. */
export interface ConditionPreview {
  readonly source: string
  readonly state: 'true' | 'false' | 'open' | 'failed'
  /** Where it is open: the paths that only the run will bring. */
  readonly needs: readonly string[]
}

/** How the items of an action are split over calls. */
export interface BatchPreview {
  readonly argument: string
  readonly size: number
  /** How many items, where it is known. */
  readonly items: number | null
}

/** As a runbook writes it. */
export type TolerancePreview = number | string

export interface LoopPreview {
  readonly items: ValuePreview
  /** How many, where it is known. */
  readonly count: number | null
  readonly as: string
  readonly max_parallel: Settled
  readonly tolerate: TolerancePreview
  /** Of one item, where it is the same for all that is known. */
  readonly calls_per_item: Calls
}

/** A block that is repeated: once in any case. */
export interface TurnsPreview {
  readonly at_most: number
  readonly until: string
  readonly interval_ms: Settled
  readonly calls_per_turn: Calls
}

/** A branch of `choose`. */
export interface BranchPreview {
  /** Left out: it runs when no other one does. */
  readonly when?: ConditionPreview
  /** Whether the branch runs, if its step does. */
  readonly runs: 'yes' | 'no' | 'open'
  readonly steps: readonly StepPreview[]
}

export interface CatchPreview {
  readonly errors: readonly string[]
  /** The condition, as written. */
  readonly when?: string
  readonly steps: readonly StepPreview[]
  /** The failure stays what it was. */
  readonly keeps_failure?: true
}

/** A whole runbook. */
export interface RunbookPreview {
  readonly steps: readonly StepPreview[]
  readonly finally: readonly StepPreview[]
}

export interface LimitPreview {
  readonly per: 'account' | 'app_key' | 'connection'
  readonly per_second?: number
  readonly per_minute?: number
  readonly per_day?: number
}

/** The call of an action. */
export interface UsesPreview {
  readonly action: string
  readonly risk: Risk
  readonly connection?: string
  readonly limits?: LimitPreview
  readonly arguments: readonly ArgumentPreview[]
  /** With `core/run`: the runbook that it runs. */
  readonly child?: RunbookPreview
  readonly batch?: BatchPreview
  readonly save_as?: ValuePreview
  /** Fields of the outputs that the step marks for views to mask. */
  readonly sensitive?: readonly string[]
  readonly retry: {
    readonly attempts: Settled
    readonly errors?: readonly string[]
    readonly except?: readonly string[]
    readonly when?: string
  }
  readonly tolerate: TolerancePreview
  /** One attempt, in milliseconds. */
  readonly attempt_timeout_ms?: number
  readonly repeat?: { readonly until: string; readonly interval_ms: Settled; readonly max_wait_ms: Settled }
  /** With `core/listen`: the events that it waits for. */
  readonly listen?: { readonly hook?: string; readonly callback?: string; readonly where?: string }
  readonly expect: readonly string[]
  /** The names of the secrets it reads. */
  readonly secrets: readonly string[]
}

export interface StepPreview {
  /** Stable name in the run, such as `hosts/checks`. */
  readonly path: string
  readonly id: string
  readonly name?: string
  readonly kind: 'uses' | 'block' | 'parallel' | 'choose'
  readonly condition?: ConditionPreview
  /** Whether the step runs, as long as nothing fails. `open`: only the run can know it. */
  readonly runs: 'yes' | 'no' | 'open'
  readonly for_each?: LoopPreview
  readonly uses?: UsesPreview
  /** Of all its items and everything inside it; inside a loop, for one item. */
  readonly calls: Calls
  /** The shortest time, in milliseconds; undefined inside loops, and where it is left out. */
  readonly shortest_ms: number | undefined
  readonly timeout_ms?: number
  readonly continue_on_error: boolean
  /** The steps of a block, or the branches of `parallel`. */
  readonly steps: readonly StepPreview[]
  /** Of a block with `repeat`. */
  readonly repeat?: TurnsPreview
  /** The branches of `choose`. */
  readonly branches?: readonly BranchPreview[]
  /** Branches at a time. */
  readonly max_parallel?: Settled
  readonly catch: readonly CatchPreview[]
  readonly finally: readonly StepPreview[]
}
