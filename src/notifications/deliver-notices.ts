import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../engine/attempt/index.ts'
import { type DueNotice, type NoticeStore, openNoticeStore } from '../engine/embedded/index.ts'
import { createNoticeSender, mostAtOnce, type SenderOptions, usualTimeLimitMs } from './create-sender.ts'
import { retryPauseMs } from './send-notice.ts'

/** What delivering needs. */
export interface DeliveryOptions extends SenderOptions {
  readonly dataDir: string
  /** The references of the targets that this process delivers to. */
  readonly references: readonly string[]
  /** Unix time in milliseconds. */
  readonly now?: () => number
  /** Called after each try. `reason`: why the message has not arrived, and is sent again. */
  readonly onTried?: (notice: DueNotice, reason: string | undefined) => void
}

/** Delivers messages as long as this process runs. It never fails, and no run waits for it. */
export interface Delivery {
  /**
   * Stops. Messages in flight have `graceMs` to arrive, or until it is aborted; the next process sends the rest.
   * @default graceMs: the time of one try, 10 s
   */
  end(graceMs?: number, signal?: AbortSignal): Promise<void>
}

const lookMs = 500
/** Added to the time limit of a try, before another process makes the next one. */
const marginMs = 5000
const givenUpAfterMs = 86_400_000

/** Delivers messages of this data directory as they come, first those of an earlier process. */
export function startDelivery(options: DeliveryOptions): Delivery {
  const { references, timeLimitMs = usualTimeLimitMs, now = systemClock.now } = options
  if (references.length === 0) return { end: async () => {} }
  const inFlight = new Set<Promise<void>>()
  const leaving = new AbortController()
  let store: NoticeStore | undefined
  const sender = createNoticeSender(options)

  /** Claims due messages and sends them. */
  const look = (): void => {
    // An unusable database is opened again at the next check: a run must not fail because of it.
    try {
      store ??= openNoticeStore(options.dataDir)
      if (!store || inFlight.size >= mostAtOnce) return
      store.giveUp(now() - givenUpAfterMs, now())
      const againAtMs = now() + timeLimitMs + marginMs
      for (const notice of store.claim(references, mostAtOnce - inFlight.size, now(), againAtMs)) {
        const delivery = deliver(notice, store).catch(() => {})
        inFlight.add(delivery)
        void delivery.then(() => inFlight.delete(delivery))
      }
    } catch {
      // The next check retries.
    }
  }
  const deliver = async (notice: DueNotice, to: NoticeStore): Promise<void> => {
    const sent = await sender.send(notice, leaving.signal)
    options.onTried?.(notice, sent.isDelivered ? undefined : sent.reason)
    if (sent.isDelivered) to.delivered(notice.id, now())
    // The next process retries without a pause: this one had no more time.
    else if (leaving.signal.aborted) to.failed(notice.id, sent.reason, now())
    else to.failed(notice.id, sent.reason, now() + retryPauseMs(sent, notice.tries))
  }
  /** Resolves when no message is in flight. */
  const settled = async (): Promise<void> => {
    while (inFlight.size > 0) await Promise.all(inFlight)
  }
  const timer = setInterval(look, lookMs).unref()
  return {
    async end(graceMs = timeLimitMs, left) {
      clearInterval(timer)
      look()
      const isOver = new AbortController()
      const signal = left ? AbortSignal.any([left, isOver.signal]) : isOver.signal
      const grace = sleep(graceMs, undefined, { signal }).catch(() => {})
      await Promise.race([settled(), grace])
      isOver.abort()
      leaving.abort()
      await settled()
      await sender.close()
      store?.close()
    },
  }
}
