import { condition } from '@temporalio/workflow'
import { type Cancellation, createCancellation } from '../../../core/cancellation.ts'
import type { RunEvent } from '../../../core/events.ts'
import type { CallContext } from '../../../core/host.ts'
import type { Identity } from '../../../core/record/identity.ts'
import type { WishRecord } from '../../../core/record/run-history.ts'
import { runCancelled, type Wish, wishEvent } from '../../../core/record/wish.ts'
import type { ErrorData } from '../../../core/run-error.ts'
import type { CarriedWish } from '../carried.ts'
import type { WorkflowMemory } from './workflow-memory.ts'

/** What people want of the run while it goes on, as its host obeys it. */
export interface RunControl {
  readonly cancellation: Cancellation
  readonly abandonment: Cancellation
  /** Resolves when a new call may be made, or when it is no longer wanted: at once, unless the run is paused. */
  ready(path: string, context: CallContext): Promise<void> | undefined
  obey(wish: Wish): void
  /** The run is to end, unless somebody has cancelled it already: a second time would give its clean-up up. */
  cancelOnce(by: Identity, comment?: string): void
  /** The run cannot go on: it is cleaned up, and ends. */
  giveUp(reason: ErrorData): void
  readonly isPaused: boolean
  wishes(): readonly WishRecord[]
  /** As the run takes them along. */
  carry(): readonly CarriedWish[]
}

/** What obeying takes. */
export interface RunControlOptions {
  readonly report: (event: RunEvent) => void
  readonly memory: Pick<WorkflowMemory, 'replay' | 'caughtUp' | 'isCaughtUp' | 'ended' | 'carriedOf'>
  /** Those that executions before this one have obeyed. */
  readonly wishes: readonly CarriedWish[]
}

export function createRunControl({ report, memory, wishes }: RunControlOptions): RunControl {
  const cancellation = createCancellation()
  const abandonment = createCancellation()
  const taken: CarriedWish[] = [...wishes]
  let isPaused = false
  let cancels = 0
  /** How many of them count by now. */
  let due = 0

  const cancelNow = (times: number): void => {
    due += times
    if (due > 0) cancellation.cancel(runCancelled)
    if (due > 1) abandonment.cancel(runCancelled)
  }
  const obey = (wish: Wish): void => {
    const at = isoTime(Date.now())
    taken.push({ ...wish, at, taken_at: at, after: memory.ended })
    isPaused = wish.kind === 'pause'
    report(wishEvent(wish))
    const times = cancelsOf(wish)
    cancels += times
    if (memory.isCaughtUp) cancelNow(times)
    else void memory.caughtUp.then(() => cancelNow(times))
  }
  /** It counts when all has been heard again that was done before. */
  const obeyAgain = async (wish: CarriedWish): Promise<void> => {
    isPaused = wish.kind === 'pause'
    const times = cancelsOf(wish)
    cancels += times
    await memory.replay.past(Date.parse(wish.taken_at ?? wish.at), wish.after - 0.5)
    cancelNow(times)
  }
  for (const wish of wishes) if (wish.over_at === undefined) void obeyAgain(wish)
  return {
    cancellation,
    abandonment,
    ready(path, { cancellation: stop, onWaiting }) {
      if (!isPaused || stop.reason) return undefined
      report({ type: 'waiting', path, reason: 'pause' })
      onWaiting(true)
      return condition(() => !isPaused || stop.reason !== undefined).then(() => onWaiting(false))
    },
    obey,
    cancelOnce(by, comment) {
      if (cancels === 0) obey({ kind: 'cancel', by, ...(comment === undefined ? {} : { comment }) })
    },
    giveUp: (reason) => cancellation.cancel(reason),
    get isPaused() {
      return isPaused
    },
    wishes: () => taken.map(({ after: _, ...wish }) => wish),
    carry: () => taken.map((wish) => ({ ...wish, after: memory.carriedOf(wish.after) })),
  }
}

function cancelsOf({ kind }: Wish): number {
  return kind === 'cancel' ? 1 : kind === 'cancel-now' ? 2 : 0
}

function isoTime(timeMs: number): string {
  return new Date(timeMs).toISOString()
}
