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
export function createRunControl(ports: ControlPorts): RunControl {
  const { rows, queue, clock, interrupt, report } = ports
  const state = createControlState(report)
  /** Cancelled at the next request. */
  let changed = createCancellation()
  const waiting: WaitingCancellations = { times: 0 }
  /** When an earlier process claimed the first cancellation. */
  let cancelledAtMs = Number.POSITIVE_INFINITY
  const seen = { lastId: 0 }
  let timer: NodeJS.Timeout | undefined

  const obey = ({ kind }: ControlRequest): void => {
    const times = state.take(kind)
    changed.cancel(controlRequested)
    changed = createCancellation()
    if (times > 0) cancelAfterReplay(waiting, times, ports.replay, state.cancel)
  }
  const obeyNew = (controlRequest: ControlRequest): void => {
    obey(controlRequest)
    report(controlEvent(controlRequest))
  }
  const poll = (): void => {
    for (const controlRequest of claimNew(rows, clock, seen)) obeyNew(controlRequest)
  }
  return {
    cancellation: state.cancellation,
    abandonment: state.abandonment,
    isPaused: state.isPaused,
    ready(path, context) {
      const whilePaused = (): Promise<void> | undefined =>
        state.ready(path, context, async (isReady) => {
          while (!isReady() && !interrupt.reason)
            await clock.waitUntil(Number.POSITIVE_INFINITY, changed, context.cancellation, interrupt)
        })
      return waiting.caughtUp ? waiting.caughtUp.then(whilePaused) : whilePaused()
    },
    afterCancellation: (endedAtMs) => (endedAtMs > cancelledAtMs ? waiting.caughtUp : undefined),
    request(controlRequest) {
      const add = (): void => {
        rows.take(rows.add(controlRequest, clock.now()), clock.now())
      }
      // What cannot be recorded is obeyed all the same.
      queue.append(add).catch(() => {})
      obeyNew(controlRequest)
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

/** Cancellations that take effect after everything before them was replayed. */
interface WaitingCancellations {
  times: number
  caughtUp?: Promise<void> | undefined
}

/**
 * Calls that were in flight when the previous process ended are replayed before a cancellation, so that no unknown
 * outcome is missed.
 */
function cancelAfterReplay(
  waiting: WaitingCancellations,
  times: number,
  replay: ReplayOrder,
  cancel: (times: number) => void,
): void {
  waiting.times += times
  const cancelNow = (): void => {
    cancel(waiting.times)
    waiting.times = 0
  }
  const afterRecorded = async (): Promise<void> => {
    await replay.afterReplay()
    await new Promise((resolve) => setImmediate(resolve))
    cancelNow()
    waiting.caughtUp = undefined
  }
  if (replay.isOver()) cancelNow()
  else waiting.caughtUp = afterRecorded()
}

const controlRequested: ErrorData = { code: 'Cancelled', message: 'there is a control request' }

/** Claims the new requests, each before it is obeyed, so that it cannot be withdrawn. */
function* claimNew(
  rows: ControlRequestRows,
  clock: Clock,
  seen: { lastId: number },
): Iterable<ControlRequest> {
  for (const { id, ...controlRequest } of readNew(rows)) {
    if (id <= seen.lastId) continue
    const isTaken = claim(rows, id, clock.now())
    // The database is busy, and the request stays for the next poll.
    if (isTaken === undefined) return
    seen.lastId = id
    if (isTaken) yield controlRequest
  }
}

function claim(rows: ControlRequestRows, id: number, nowMs: number): boolean | undefined {
  try {
    return rows.take(id, nowMs)
  } catch (error) {
    // What cannot be recorded is obeyed all the same.
    return isBusy(error) ? undefined : true
  }
}

/** The new requests. A database that is busy now is read at the next poll. */
function readNew(rows: ControlRequestRows): ReturnType<ControlRequestRows['readNew']> {
  try {
    return rows.readNew()
  } catch {
    return []
  }
}
