import { type Cancellation, createCancellation } from '../../core/cancellation.ts'
import type { RunEvent } from '../../core/events.ts'
import { createControlState } from '../../core/host/run-control.ts'
import type { CallContext } from '../../core/host.ts'
import { type ControlRequest, controlEvent } from '../../core/record/control-request.ts'
import type { ReplayOrder } from '../../core/record/replay-order.ts'
import type { ErrorData } from '../../core/run-error.ts'
import type { Clock } from '../attempt/clock.ts'
import { isBusy } from '../file-lock.ts'
import type { CommitQueue } from './commit-queue.ts'
import type { ControlRequestRows } from './control-request-rows.ts'

/** What people want of a run while it goes on, as its host obeys it. */
export interface RunControl {
  /** Somebody wants the run to be cancelled; and, the second time, its clean-up too. */
  readonly cancellation: Cancellation
  readonly abandonment: Cancellation
  /** Resolves when a new call may be made, or when it is no longer wanted: at once, unless the run is paused. */
  ready(path: string, context: CallContext): Promise<void>
  /** Takes a control request from this process. It is recorded, and counts at once. */
  request(controlRequest: ControlRequest): void
  /** Begins to look for the control requests of other processes, and takes up those from before a resume. */
  open(): void
  close(): void
}

/** What obeying takes. */
export interface ControlPorts {
  readonly rows: ControlRequestRows
  readonly queue: CommitQueue
  readonly replay: ReplayOrder
  readonly clock: Clock
  readonly interrupt: Cancellation
  readonly report: (event: RunEvent) => void
}

/** How long a control request of another process may lie there unseen. */
const lookMs = 200

/** Obeys the control requests for one run: those of this process, and those that others write into the table. */
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
  /** Cancellations that take effect once everything done before has been replayed. */
  let pending = 0
  let caughtUp: Promise<void> | undefined
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
    // What was in flight when the process before this one ended must be asked for first: nobody may overlook it.
    caughtUp = (async () => {
      await replay.afterReplay()
      await new Promise((resolve) => setImmediate(resolve))
      cancelNow()
      caughtUp = undefined
    })()
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
    async ready(path, context) {
      if (caughtUp) await caughtUp
      await state.ready(path, context, async (isReady) => {
        while (!isReady() && !interrupt.reason)
          await clock.waitUntil(Number.POSITIVE_INFINITY, changed, context.cancellation, interrupt)
      })
    },
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
      for (const { isTaken, ...controlRequest } of rows.read()) if (isTaken) obey(controlRequest)
      look()
      timer = setInterval(look, lookMs)
      timer.unref()
    },
    close: () => clearInterval(timer),
  }
}

const controlRequested: ErrorData = { code: 'Cancelled', message: 'there is a control request' }

/** A database that cannot be read now can be read at the next look. */
function readNew(rows: ControlRequestRows): ReturnType<ControlRequestRows['readNew']> {
  try {
    return rows.readNew()
  } catch {
    return []
  }
}
