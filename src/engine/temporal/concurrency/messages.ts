/** What passes between those who start a run with a `concurrency` key, the lock workflow of the key, and the run. */
import type { Identity } from '../../../core/record/identity.ts'
import type { RunStart } from '../messages.ts'
import type { RunMemo } from '../run-memo.ts'

/** Name of the workflow type that keeps a concurrency key: its id is the key, and it lives as long as the run does. */
export const concurrencyLockType = 'opsbookConcurrencyLock'

/** A run, as its lock workflow starts it. */
export interface KeptRun {
  readonly start: RunStart
  readonly listed: ListedRun
  /** It has ended before, and goes on. */
  readonly isResumed?: true
  /** The workflow that is told when it is over: {@link overSignal}. */
  readonly awaitedBy?: string
}

/** A concurrency key, as whoever wants to start a run for it sees it. */
export interface ConcurrencyOrder {
  readonly key: string
  readonly lockId: string
  /** The run that goes on for it. */
  readonly running?: string
}

/** What stands beside a run on the server. */
export interface ListedRun {
  readonly searchAttributes: Record<string, string[]>
  readonly memo: Record<string, unknown>
  readonly staticSummary: string
}

/** Signal to a lock workflow: another run takes the place of the one that goes on. Names a {@link KeptRun}. */
export const replaceSignal = 'opsbookReplace'

/** Signal of a lock workflow to its run: another one takes its place. Names a {@link Successor}. */
export const replacedSignal = 'opsbookReplaced'

/** Signal of a lock workflow to whoever awaits a run: it goes on no more, or never began. Names a {@link KeptOver}. */
export const overSignal = 'opsbookKeptOver'

/** What {@link overSignal} says. */
export interface KeptOver {
  /** Another run has taken its place before it began. */
  readonly isSuperseded?: true
  /** It was not wanted any more before it began. */
  readonly isUnwanted?: true
}

/** Signal to a lock workflow: a run is not wanted any more. Names its id. One that goes on is cancelled. */
export const unwantedSignal = 'opsbookUnwanted'

/** Signal to a lock workflow that asks for nothing: whoever sends it learns whether the lock workflow is there. */
export const presenceSignal = 'opsbookPresence'

/** The run that takes the place of another one, and who has started it. */
export interface Successor {
  readonly runId: string
  readonly by: Identity
}

/** What stands beside a lock workflow on the server. */
export interface LockMemo {
  /** The run that goes on, or begins now. */
  readonly runId: string
  /** The starts, by their tokens, whose place another one had taken before they began. The last of them. */
  readonly superseded?: readonly RunMemo['startToken'][]
}
