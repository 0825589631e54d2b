import type { Safety } from '../../core/action.ts'
import type { RecordedStatus, StepRecord } from '../../core/record/index.ts'
import type { ErrorData } from '../../core/run-error.ts'

/**
 * A runbook, or a run of it, as boxes in boxes. It is plain JSON, and the same plan and run give the same graph. Its
 * texts are whole and not escaped: a writer cuts and escapes them.
 */
export interface Graph {
  /** The runbook. */
  readonly box: Box
  /** Left out: the graph is of the runbook alone. */
  readonly run?: GraphedRun
}

/** Which run a graph shows. */
export interface GraphedRun {
  readonly run_id: string
  /** RFC 3339. */
  readonly started_at: string
  /** RFC 3339. The run was not over at that time; left out: it is over. */
  readonly as_of?: string
}

/** A runbook, a step, or a part of a step that has steps of its own. */
export interface Box {
  readonly kind: BoxKind
  /** The step as the record names it, without positions of items: `hosts/export`. Empty for the runbook. */
  readonly path: string
  /** The id of the step, or what the part is: `catch`, `branch 0`. */
  readonly label: string
  readonly name?: string
  /** Of a call. */
  readonly action?: string
  /** Of a call: what it may change. `local`: it sends nothing. */
  readonly safety?: Safety | 'local'
  /** The steps inside run for each item, or in turns. */
  readonly loop?: 'items' | 'turns'
  /** What the author wrote about it: conditions, loops, limits. */
  readonly facts: readonly Fact[]
  /** Whether the parts run one after another, at the same time, or one of them alone. */
  readonly order: 'sequence' | 'parallel' | 'choice'
  readonly parts: readonly Box[]
  /** The entries of its `catch`, then its `finally`. */
  readonly handlers: readonly Box[]
  readonly run?: BoxRun
}

export type BoxKind =
  | 'runbook'
  | 'call'
  | 'block'
  | 'parallel'
  | 'choose'
  | 'branch'
  | 'child'
  | 'catch'
  | 'finally'

/** One thing that the author wrote, such as `if` and its condition. */
export interface Fact {
  readonly label: string
  readonly text: string
}

/** `caught`: it failed and its `catch` handled it. `warning`: it failed and the run continued. `tolerated`: items of it failed. */
export type BoxStatus = RecordedStatus | StepRecord['status'] | 'caught' | 'warning' | 'tolerated'

/** What became of a box in a run. */
export interface BoxRun {
  readonly status: BoxStatus
  /** Calls that were made, also those inside and for all items. */
  readonly calls?: number
  /** Inside a loop: the longest of all. */
  readonly duration_ms?: number
  /** Of a loop, or of a call that takes items in groups. */
  readonly items?: ItemCounts
  /** Inside a loop: how often it ended in which way. */
  readonly times?: StatusCounts
  /** The first failure. */
  readonly error?: Pick<ErrorData, 'code' | 'message'>
}

export type StatusCounts = Readonly<Partial<Record<BoxStatus, number>>>

/** How many items there are, and what became of them. */
export interface ItemCounts {
  readonly unit: 'items' | 'turns'
  /** Of turns: how many there are at most. */
  readonly total: number
  readonly ended: StatusCounts
  /** Begun and not ended. */
  readonly open: number
}
