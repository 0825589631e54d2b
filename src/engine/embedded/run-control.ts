import { type Cancellation, createCancellation } from '../../core/cancellation.ts'
import type { RunEvent } from '../../core/events.ts'
import type { CallContext } from '../../core/host.ts'
import type { ReplayOrder } from '../../core/record/replay-order.ts'
import { runCancelled, type Wish, wishEvent } from '../../core/record/wish.ts'
import type { ErrorData } from '../../core/run-error.ts'
import type { Clock } from '../attempt/clock.ts'
import { isBusy } from '../file-lock.ts'
import type { CommitQueue } from './commit-queue.ts'
import type { WishRows } from './wishes.ts'

/** What people want of a run while it goes on, as its host obeys it. */
export interface RunControl {
  /** Somebody wants the run to be cancelled; and, the second time, its clean-up too. */
  readonly cancellation: Cancellation
  readonly abandonment: Cancellation
  /** Resolves when a new call may be made, or when it is no longer wanted: at once, unless the run is paused. */
  ready(path: string, context: CallContext): Promise<void>
  /** Takes a wish from this process. It is recorded, and counts at once. */
  wish(wish: Wish): void
  /** Begins to look for the wishes of other processes, and takes up those from before a resume. */
  open(): void
  close(): void
}

/** What obeying takes. */
export interface ControlPorts {
  readonly rows: WishRows
  readonly queue: CommitQueue
  readonly replay: ReplayOrder
  readonly clock: Clock
  readonly interrupt: Cancellation
  readonly report: (event: RunEvent) => void
}

/** How long a wish of another process may lie there unseen. */
const lookMs = 200

/** Obeys the wishes for one run: those of this process, and those that others write into the table. */
export function createRunControl({
  rows,
  queue,
  replay,
  clock,
  interrupt,
  report,
}: ControlPorts): RunControl {
  const cancellation = createCancellation()
  const abandonment = createCancellation()
  let pause = createCancellation()
  let isPaused = false
  let cancels = 0
  /** A cancellation that is to come once all has been heard again that was done before. */
  let caughtUp: Promise<void> | undefined
  let lastSeen = 0
  let timer: NodeJS.Timeout | undefined

  const cancelNow = (): void => {
    cancellation.cancel(runCancelled)
    if (cancels > 1) abandonment.cancel(runCancelled)
  }
  const goOn = (): void => {
    isPaused = false
    pause.cancel(goesOn)
  }
  const cancel = (times: number): void => {
    cancels += times
    // Clean-up that waited to be let go on would be given up in the end.
    goOn()
    if (replay.isOver()) {
      cancelNow()
      return
    }
    // What was in flight when the process before this one ended must be asked for first: nobody may overlook it.
    caughtUp = (async () => {
      await replay.fresh()
      await new Promise((resolve) => setImmediate(resolve))
      cancelNow()
      caughtUp = undefined
    })()
  }
  const obey = ({ kind }: Wish): void => {
    if (kind === 'cancel') cancel(1)
    else if (kind === 'cancel-now') cancel(2)
    else if (kind === 'unpause') goOn()
    else {
      isPaused = true
      pause = createCancellation()
    }
  }
  /** On disk before it is obeyed: nobody withdraws it any more. Undefined: somebody keeps the database, it lies there still. */
  const take = (id: number): boolean | undefined => {
    try {
      return rows.take(id, clock.now())
    } catch (error) {
      // What cannot be recorded is obeyed all the same.
      return isBusy(error) ? undefined : true
    }
  }
  const look = (): void => {
    for (const { id, ...wish } of readNew(rows)) {
      if (id <= lastSeen) continue
      const isTaken = take(id)
      if (isTaken === undefined) return
      lastSeen = id
      if (!isTaken) continue
      obey(wish)
      report(wishEvent(wish))
    }
  }
  return {
    cancellation,
    abandonment,
    async ready(path, { cancellation: stop, onWaiting }) {
      if (caughtUp) await caughtUp
      if (!isPaused || stop.reason) return
      report({ type: 'waiting', path, reason: 'pause' })
      onWaiting(true)
      while (isPaused && !stop.reason && !interrupt.reason) {
        await clock.waitUntil(Number.POSITIVE_INFINITY, pause, stop, interrupt)
      }
      onWaiting(false)
    },
    wish(wish) {
      const add = (): void => {
        rows.take(rows.add(wish, clock.now()), clock.now())
      }
      // What cannot be recorded is obeyed all the same.
      queue.append(add).catch(() => {})
      obey(wish)
      report(wishEvent(wish))
    },
    open() {
      for (const { isTaken, ...wish } of rows.read()) if (isTaken) obey(wish)
      look()
      timer = setInterval(look, lookMs)
      timer.unref()
    },
    close: () => clearInterval(timer),
  }
}

const goesOn: ErrorData = { code: 'Cancelled', message: 'the run goes on' }

/** A database that cannot be read now can be read at the next look. */
function readNew(rows: WishRows): ReturnType<WishRows['readNew']> {
  try {
    return rows.readNew()
  } catch {
    return []
  }
}
