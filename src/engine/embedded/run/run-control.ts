import type { RunEvent } from '../../../core/events.ts'
import {
  type Cancellation,
  createCancellation,
  createControlState,
  type HostControls as HostControl,
} from '../../../core/host/index.ts'
import { type ControlRequest, controlEvent, type ReplayOrder } from '../../../core/record/index.ts'
import type { ErrorData } from '../../../core/run-error.ts'
import type { Clock } from '../../attempt/index.ts'
import { isBusy } from '../../file-lock/index.ts'
import type { CommitQueue } from '../database/commit-queue.ts'
import type { ControlRequestRows } from '../tables/control-request-rows.ts'

/** The control requests of a run, as its host obeys them. */
export interface RunControl extends HostControl {
  /** Records a control request of this process, and obeys it. */
  request(controlRequest: ControlRequest): void
  /** Obeys the recorded requests from before a resume, and starts polling for those of other processes. */
  open(): void
  close(): void
}

/** What obeying control requests takes. */
export interface ControlPorts {
  readonly rows: ControlRequestRows
  readonly queue: CommitQueue
  readonly replay: ReplayOrder
  readonly clock: Clock
  readonly interrupt: Cancellation
  readonly report: (event: RunEvent) => void
}

/** How often the table is read for requests of other processes. */
const pollMs = 200

/** Obeys the control requests of this process, and those that other processes write into the table. */
export function createRunControl({
  rows,
  queue,
  replay,
  clock,
  interrupt,
  report,
}: ControlPorts): RunControl {
  const state = createControlState(report)
  /** Cancelled at the next request. */
  let changed = createCancellation()
  /** Cancellations that take effect after everything before them was replayed. */
  let pending = 0
  let caughtUp: Promise<void> | undefined
  /** When an earlier process claimed the first cancellation. */
  let cancelledAtMs = Number.POSITIVE_INFINITY
  let lastSeen = 0
  let timer: NodeJS.Timeout | undefined

  const cancelNow = (): void => {
    state.cancel(pending)
    pending = 0
  }
  const obey = ({ kind }: ControlRequest): void => {
    const times = state.take(kind)
    pending += times
    changed.cancel(controlRequested)
    changed = createCancellation()
    if (times === 0) return
    if (replay.isOver()) {
      cancelNow()
      return
    }
    // Calls that were in flight when the previous process ended are replayed first, so that no unknown outcome is
    // missed.
    caughtUp = (async () => {
      await replay.afterReplay()
      await new Promise((resolve) => setImmediate(resolve))
      cancelNow()
      caughtUp = undefined
    })()
  }
  /**
   * Marks a request as claimed, before it is obeyed, so that it cannot be withdrawn. Undefined: the database is busy,
   * and the request stays for the next poll.
   */
  const take = (id: number): boolean | undefined => {
    try {
      return rows.take(id, clock.now())
    } catch (error) {
      // What cannot be recorded is obeyed all the same.
      return isBusy(error) ? undefined : true
    }
  }
  const poll = (): void => {
    for (const { id, ...controlRequest } of readNew(rows)) {
      if (id <= lastSeen) continue
      const isTaken = take(id)
      if (isTaken === undefined) return
      lastSeen = id
      if (!isTaken) continue
      obey(controlRequest)
      report(controlEvent(controlRequest))
    }
  }
  return {
    cancellation: state.cancellation,
    abandonment: state.abandonment,
    get isPaused() {
      return state.isPaused
    },
    ready(path, context) {
      const whilePaused = (): Promise<void> | undefined =>
        state.ready(path, context, async (isReady) => {
          while (!isReady() && !interrupt.reason)
            await clock.waitUntil(Number.POSITIVE_INFINITY, changed, context.cancellation, interrupt)
        })
      return caughtUp ? caughtUp.then(whilePaused) : whilePaused()
    },
    afterCancellation: (endedAtMs) => (endedAtMs > cancelledAtMs ? caughtUp : undefined),
    request(controlRequest) {
      const add = (): void => {
        rows.take(rows.add(controlRequest, clock.now()), clock.now())
      }
      // What cannot be recorded is obeyed all the same.
      queue.append(add).catch(() => {})
      obey(controlRequest)
      report(controlEvent(controlRequest))
    },
    open() {
      for (const { isTaken, takenAtMs, ...controlRequest } of rows.read()) {
        if (!isTaken) continue
        if (takenAtMs !== undefined && controlRequest.kind.startsWith('cancel'))
          cancelledAtMs = Math.min(cancelledAtMs, takenAtMs)
        obey(controlRequest)
      }
      poll()
      timer = setInterval(poll, pollMs)
      timer.unref()
    },
    close: () => clearInterval(timer),
  }
}

const controlRequested: ErrorData = { code: 'Cancelled', message: 'there is a control request' }

/** The new requests. A database that is busy now is read at the next poll. */
function readNew(rows: ControlRequestRows): ReturnType<ControlRequestRows['readNew']> {
  try {
    return rows.readNew()
  } catch {
    return []
  }
}
