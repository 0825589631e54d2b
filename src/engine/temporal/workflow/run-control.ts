import { condition } from '@temporalio/workflow'
import { type Cancellation, createCancellation } from '../../../core/cancellation.ts'
import type { RunEvent } from '../../../core/events.ts'
import type { CallContext } from '../../../core/host.ts'
import type { WishRecord } from '../../../core/record/run-history.ts'
import type { ErrorData } from '../../../core/run-error.ts'

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

export function createRunControl(report: (event: RunEvent) => void): RunControl {
  const cancellation = createCancellation()
  const abandonment = createCancellation()
  const taken: WishRecord[] = []
  let isPaused = false
  let cancels = 0

  const obey = (wish: Wish): void => {
    const at = new Date(Date.now()).toISOString()
    taken.push({ ...wish, at, taken_at: at })
    tell(wish, report)
    const { kind } = wish
    isPaused = kind === 'pause'
    if (kind !== 'cancel' && kind !== 'cancel-now') return
    cancels += kind === 'cancel' ? 1 : 2
    cancellation.cancel(cancelled)
    if (cancels > 1) abandonment.cancel(cancelled)
  }
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
