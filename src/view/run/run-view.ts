import type { RunStatus, StepStatus, WaitReason, Warning } from '../../core/events.ts'
import type { OpenStatus, PlaceInLine } from '../../core/record/index.ts'
import type { ErrorData } from '../../core/run-error.ts'

/**
 * What a screen shows of a run, as plain JSON with the field names of `--output json`. Complete, or what has changed
 * since a number: `is_whole` tells which.
 */
export interface RunView {
  readonly run_id: string
  /** Number of the last event in it. The next view after this number holds what has changed since. */
  readonly seq: number
  /** All nodes are here: those of an earlier view that are not, are gone. Left out: only the nodes that have changed. */
  readonly is_whole?: true
  /** Always complete. */
  readonly head: RunHead
  /** In document order: a node comes after the node around it. Each is complete, and replaces the one with its path. */
  readonly nodes: readonly StepNode[]
}

/** The run itself. */
export interface RunHead {
  readonly runbook: string
  readonly title?: string
  readonly status: RunStatus | OpenStatus
  /** RFC 3339. Left out: it has not begun. */
  readonly started_at?: string
  /** RFC 3339. Of a run that no process executes: its last event. */
  readonly ended_at?: string
  /** RFC 3339: the time of the last event. */
  readonly last_at?: string
  /** Number of starts and resumes. */
  readonly begins: number
  /** What a queued run waits for. */
  readonly place_in_line?: PlaceInLine
  readonly error?: ShownError
  /** Failures that the run let pass, once it has ended; at most 50. */
  readonly warnings?: readonly ShownWarning[]
  /** How many there are besides. */
  readonly more_warnings?: number
  /** The steps outside of any other, how many of them have ended, and how many of those failed. */
  readonly steps: { readonly total: number; readonly ended: number; readonly failed: number }
}

/** A step, or an item of a small loop. Items of a loop with more than 20 items, and of one inside an item, are no nodes. */
export interface StepNode {
  /** Such as `checks`, `hosts[3]` or `hosts[3]/export`. */
  readonly path: string
  /** Path of the node around it. */
  readonly parent?: string
  /** Position among the nodes with the same parent, from 0; there may be gaps. */
  readonly position: number
  /** The id of the step, or the position of the item: `export`, `[3]`. */
  readonly id: string
  readonly kind: 'call' | 'block' | 'parallel' | 'choose' | 'runbook' | 'item'
  readonly name?: string
  /** Of a call. */
  readonly action?: string
  /** What names an item. */
  readonly item?: string
  /** `waiting`: it runs, and something that it waits for holds it. `interrupted`: its process is gone. */
  readonly status: StepStatus | 'pending' | 'running' | 'waiting' | 'interrupted'
  /** RFC 3339. */
  readonly started_at?: string
  /** RFC 3339. */
  readonly ended_at?: string
  /** Calls that it made itself. */
  readonly attempts?: number
  /** What holds its calls; at most five. */
  readonly waits?: readonly NodeWait[]
  /** How many there are besides. */
  readonly more_waits?: number
  /** Its waits that are over; the 20 longest, in the order of their ends. Those for one reason that overlap are one. */
  readonly past_waits?: readonly PastWait[]
  /** For how long it has waited for each reason, in milliseconds, in all waits that are over. */
  readonly waited_ms?: Partial<Readonly<Record<WaitReason, number>>>
  readonly error?: ShownError
  /** It failed, and the run continued. */
  readonly is_warning?: true
  /** Something inside of it failed, and that is tolerated. */
  readonly has_tolerated?: true
  /** The failure that its `catch` handled. */
  readonly caught?: ShownError
  /** Of a choice: the branch that ran, from 0. */
  readonly branch?: number
  /** Why it was skipped. */
  readonly condition?: string
  /** How many items a batch that ended had, and how many of them failed. Left out: none failed. */
  readonly failed_items?: { readonly total: number; readonly failed: number }
  /** Progress of a batch. */
  readonly groups?: { readonly total: number; readonly done: number; readonly failed: number }
  readonly loop?: LoopFacts
}

/** A wait of a step that is over. */
export interface PastWait {
  readonly reason: WaitReason
  /** RFC 3339. */
  readonly since: string
  /** RFC 3339: its end. */
  readonly until: string
}

/** A failure as a screen shows it. */
export type ShownError = Pick<ErrorData, 'code' | 'message'> & { readonly path?: string }

/** A failure that the run let pass. Of items that failed alike in one step: the first of them, and how many there are. */
export interface ShownWarning extends ShownError {
  /** What names the item of a loop that its path is in. */
  readonly item?: string
  readonly failed_items?: NonNullable<Warning['failed_items']>
}

/**
 * Why a call waits: `retry` and `throttle` before another attempt, `budget` for the rate limit, `target` for the
 * target, `poll` before it looks again, `approval` and `answer` for a person, `wait`, `event`, `pause`. After `until` it
 * waits no longer, unless it waits for a person.
 */
export interface NodeWait {
  /** Path of the call. */
  readonly path: string
  readonly reason: WaitReason
  /** RFC 3339. */
  readonly since: string
  /** RFC 3339, where it is known. */
  readonly until?: string
  /** The question; the source of an event. */
  readonly message?: string
  /** How many people have answered, of how many: `1 of 2`. */
  readonly counted?: string
  /** The failure before a retry. */
  readonly after?: ShownError
}

/** What a screen shows of a loop. */
export interface LoopFacts {
  readonly unit: 'items' | 'turns'
  /** Of turns: how many there are at most. */
  readonly total: number
  /** Ended, in whichever way. */
  readonly done: number
  /** Of those done. An unknown outcome counts here too. */
  readonly failed: number
  readonly in_flight: number
  /** Begun, and their process is gone. */
  readonly interrupted?: number
  /** Of those in flight: how many wait. */
  readonly waiting: number
  /** Not begun. */
  readonly left: number
  /** Items that ended within the last minute; scaled up while the loop is younger. Left out: none, or it is over. */
  readonly per_minute?: number
  /** RFC 3339: when it ends at this rate. Left out without a rate, and for turns. */
  readonly expected_end?: string
  /**
   * What keeps the loop from going faster: what most items in flight wait for, but for waits that the runbook asks for;
   * else `max-parallel`, where there are more to begin. Left out: nothing.
   */
  readonly limited_by?: WaitReason | 'max-parallel'
  /** With `budget`: the window of the rate limit that is full, as far as it is known. */
  readonly limit?: {
    readonly action: string
    readonly calls: number
    readonly per: 'second' | 'minute' | 'day'
  }
  /** In flight, the longest first; at most 50. */
  readonly oldest: readonly ItemInFlight[]
  /** Grouped by code and message, with numbers and hosts cut out; the largest first, at most 20. */
  readonly failures: readonly FailureGroup[]
  /** Failed items of groups that `failures` leaves out. */
  readonly other_failures?: number
  /** What failed inside of its items and is tolerated: the same, counted by items of batches and of loops. */
  readonly tolerated?: readonly FailureGroup[]
  /** How many items took how long: `counts[n]` of them at most `bounds_ms[n]`, the last any longer time. Ten buckets. */
  readonly durations?: { readonly bounds_ms: readonly number[]; readonly counts: readonly number[] }
  /**
   * Where the time of the items went, of a loop whose items are no nodes: one item in flight for one second is a second.
   * Of what an item waits for at the same time, the first counts. Left out: no item has been in flight.
   */
  readonly time?: {
    /** RFC 3339: where the first bucket begins. */
    readonly since: string
    readonly bucket_ms: number
    /** Of all items together. */
    readonly in_flight_ms: number
    readonly waited_ms: Partial<Readonly<Record<WaitReason, number>>>
    /** For each reason, and for at most 48 buckets, which part of the time was waited, in percent. */
    readonly shares: Partial<Readonly<Record<WaitReason, readonly number[]>>>
  }
  /**
   * One letter for each item, a number before it for how many in a row: `3s2f95p`. `s` succeeded, `f` failed,
   * `t` succeeded with tolerated failures inside, `k` skipped, `c` cancelled, `u` unknown, `r` in flight, `p` not begun. Empty for more than 20,000 items.
   */
  readonly cells: string
}

export interface ItemInFlight extends Pick<ItemRow, 'index' | 'path' | 'item' | 'at' | 'wait'> {
  /** RFC 3339. */
  readonly since: string
}

/** How many items of a loop a page holds by default. */
export const usualItems = 100

/** Which items of a loop a page holds. */
export interface ItemFilter {
  /** Only items after this position. */
  readonly after?: number
  /**
   * At most this many.
   * @default {@link usualItems}
   */
  readonly limit?: number
  /** Only items whose name or position holds this text. */
  readonly text?: string
  /** `tolerated`: those that succeeded although something inside failed. Left out: items in any state. */
  readonly status?: readonly (ItemRow['status'] | 'tolerated')[]
}

/** Some items of a loop, in their order. */
export interface ItemPage {
  readonly items: readonly ItemRow[]
  /** There are more: those after this position. */
  readonly next?: number
}

/** An item of a loop as a list shows it. */
export interface ItemRow {
  readonly index: number
  readonly path: string
  /** What names it. Left out: it is a turn, or has not begun and its list does not follow from the inputs. */
  readonly item?: string
  /** `waiting`: it is in flight, and something holds it. */
  readonly status: StepStatus | 'pending' | 'running' | 'waiting' | 'interrupted'
  /** RFC 3339. */
  readonly started_at?: string
  /** RFC 3339. */
  readonly ended_at?: string
  readonly error?: ShownError
  /** It succeeded, although something inside of it failed. */
  readonly has_tolerated?: true
  /** Of the loops and batches inside of it where items failed, and that is tolerated. */
  readonly failed_items?: { readonly total: number; readonly failed: number }
  /** In flight: the step that it is at, without the path of the item. */
  readonly at?: string
  readonly wait?: NodeWait
}

export interface FailureGroup {
  readonly code: string
  /** Of all of them, with `…` in place of numbers and hosts where they differ. */
  readonly message: string
  readonly count: number
  /** Position of the first item that failed so. */
  readonly first: number
}
