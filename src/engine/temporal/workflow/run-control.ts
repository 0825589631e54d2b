import { condition } from '@temporalio/workflow'
import { type Cancellation, createCancellation } from '../../../core/cancellation.ts'
import type { RunEvent } from '../../../core/events.ts'
import type { CallContext } from '../../../core/host.ts'
import type { WishRecord } from '../../../core/record/run-history.ts'
import type { ErrorData } from '../../../core/run-error.ts'
import type { RunMemory } from './run-memory.ts'

/** What somebody wants of a run. */
export type Wish = Pick<WishRecord, 'kind' | 'by' | 'comment'>

/** What people want of the run while it goes on, as its host obeys it. */
export interface RunControl {
  readonly cancellation: Cancellation
  readonly abandonment: Cancellation
  /** Resolves when a new call may be made, or when it is no longer wanted: at once, unless the run is paused. */
  ready(path: string, context: CallContext): Promise<void> | undefined
  obey(wish: Wish): void
  /** Somebody has cancelled the workflow without a word to it. */
  cancelledByServer(): void
  readonly isPaused: boolean
  wishes(): readonly WishRecord[]
}

/** What obeying takes. */
export interface RunControlOptions {
  readonly report: (event: RunEvent) => void
  readonly memory: Pick<RunMemory, 'caughtUp' | 'isCaughtUp'>
  /** Those that executions before this one have obeyed. */
  readonly wishes: readonly WishRecord[]
}

export function createRunControl({ report, memory, wishes }: RunControlOptions): RunControl {
  const cancellation = createCancellation()
  const abandonment = createCancellation()
  const taken: WishRecord[] = [...wishes]
  let isPaused = false
  let cancels = 0

  const cancelNow = (): void => {
    if (cancels > 0) cancellation.cancel(cancelled)
    if (cancels > 1) abandonment.cancel(cancelled)
  }
  const count = ({ kind }: Wish): void => {
    isPaused = kind === 'pause'
    if (kind === 'cancel') cancels += 1
    else if (kind === 'cancel-now') cancels += 2
  }
  const obey = (wish: Wish): void => {
    const at = new Date(Date.now()).toISOString()
    taken.push({ ...wish, at, taken_at: at })
    count(wish)
    tell(wish, report)
    if (memory.isCaughtUp) cancelNow()
  }
  for (const wish of wishes) if (wish.over_at === undefined) count(wish)
  // What was done before somebody cancelled must be heard again first.
  void memory.caughtUp.then(cancelNow)
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
    cancelledByServer() {
      // Whoever cancels through us says so twice: in words, and to the server.
      if (cancels === 0) obey({ kind: 'cancel', by: 'temporal' })
    },
    get isPaused() {
      return isPaused
    },
    wishes: () => taken,
  }
}

const eventTypes = {
  cancel: 'run_cancelling',
  'cancel-now': 'run_cancelling',
  pause: 'run_paused',
  unpause: 'run_unpaused',
} as const

function tell({ kind, by, comment }: Wish, report: (event: RunEvent) => void): void {
  const isNow = kind === 'cancel-now' ? ({ is_now: true } as const) : {}
  report({ type: eventTypes[kind], by, ...(comment === undefined ? {} : { comment }), ...isNow })
}

const cancelled: ErrorData = { code: 'Cancelled', message: 'the run was cancelled' }
