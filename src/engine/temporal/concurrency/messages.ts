/** The messages between clients that start a run with a `concurrency` key, the lock workflow of the key, and the run. */
import type { RunStart } from '../messages.ts'
import type { RunMemo } from '../run-listing.ts'

/** Name of the workflow type of concurrency locks: its id is the key, and it is open as long as the run. */
export const concurrencyLockType = 'opsbookConcurrencyLock'

/** A run, as its lock workflow starts it. */
export interface KeptRun {
  readonly start: RunStart
  readonly listed: ListedRun
  /**
   * Set where the run has ended before, and is resumed: since then its client lets no other process continue it. By the
   * clock of the server.
   */
  readonly resumedAtMs?: number
  /** The workflow that receives {@link overSignal} when the run is over. */
  readonly awaitedBy?: string
}

/** A concurrency key, as a client sees it that wants to start a run for it. */
export interface ConcurrencyOrder {
  readonly key: string
  readonly lockId: string
  /** With a limit of more than 1: the lock workflows of the other places. */
  readonly otherLockIds?: readonly string[]
  /** The run that holds the key. */
  readonly running?: string
}

/** The run that has a lock workflow, by the memo of that workflow. */
export interface Holder {
  readonly lockId: string
  readonly runId: string
  /**
   * The start token of a run that has ended: it gives way to a start. Its lock workflow has not noticed its end yet:
   * workers are busy, or none is running.
   */
  readonly ended?: string
}

/** Name of the local activity that looks for the {@link Holder} of a key: its input is a {@link ConcurrencyOrder}. */
export const holderActivity = 'opsbook/find-holder'

/** What the server lists of a run. */
export interface ListedRun {
  readonly searchAttributes: Record<string, string[]>
  readonly memo: Record<string, unknown>
  readonly staticSummary: string
}

/**
 * Signal to a lock workflow: a run, a {@link KeptRun}, takes the place of one that has ended, unless another run has it
 * already. Holds the start token of the ended run, too.
 */
export const takePlaceSignal = 'opsbookTakePlace'

/** Signal of a lock workflow to the workflow that awaits a run: the run is over, or will never start. Holds a {@link KeptOver}. */
export const overSignal = 'opsbookKeptOver'

/** The ids of the lock workflows of a key. */
export function lockIdsIn({ lockId, otherLockIds = [] }: ConcurrencyOrder): readonly string[] {
  return [lockId, ...otherLockIds]
}

/** What the web UI shows of a lock workflow: it holds one of as many places as the limit allows. */
export function lockSummary(runbook: string, limit: number): string {
  return limit === 1 ? `one run of ${runbook} at a time` : `one of the ${limit} runs of ${runbook} at a time`
}

/** A run is over: it has ended, or never started for one of the reasons. */
export interface KeptOver {
  readonly runId: string
  /** Another run, this one, was faster. */
  readonly supersededBy?: string
  /** It was cancelled before it started. */
  readonly isUnwanted?: true
}

/** Signal to a lock workflow: it cancels the run of this id, or does not start it. */
export const unwantedSignal = 'opsbookUnwanted'

/** Signal without an effect: its sender learns whether the lock workflow is open. */
export const presenceSignal = 'opsbookPresence'

/** What the server lists of a lock workflow. */
export interface LockMemo {
  /** The run that holds the key. */
  readonly runId: string
  /** The tokens of the last starts that another one was faster than. */
  readonly superseded?: readonly RunMemo['startToken'][]
}
