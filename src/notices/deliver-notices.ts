import { setTimeout as sleep } from 'node:timers/promises'
import { type DueNotice, type NoticeStore, openNoticeStore } from '../engine/embedded/index.ts'
import { createSender, mostAtOnce, type SenderOptions, usualTimeLimitMs } from './create-sender.ts'
import { retryPauseMs } from './retry-pause.ts'

/** What delivering needs. */
export interface DeliveryOptions extends SenderOptions {
  readonly dataDir: string
  /** The references of the targets that this process delivers to. */
  readonly references: readonly string[]
  /** Unix time in milliseconds. */
  readonly now?: () => number
}

/** Messages on their way, as long as this process runs. Nothing of it fails, and nobody waits for it. */
export interface Delivery {
  /** Stops. What is still on its way gets a moment to arrive; the rest is for the next process. */
  end(graceMs: number): Promise<void>
}

const lookMs = 500
/** Added to the time limit of a try, before somebody else makes the next one. */
const marginMs = 5000
const givenUpAfterMs = 86_400_000

/** Delivers messages of this data directory as they come, those that an earlier process has left first. */
export function startDelivery(options: DeliveryOptions): Delivery {
  if (options.references.length === 0) return { end: async () => {} }
  const carrier = createCarrier(options)
  const timer = setInterval(() => carrier.look(), lookMs).unref()
  return {
    async end(graceMs) {
      clearInterval(timer)
      carrier.look()
      const isOver = new AbortController()
      const grace = sleep(graceMs, undefined, { signal: isOver.signal }).catch(() => {})
      await Promise.race([carrier.settled(), grace])
      isOver.abort()
      await carrier.close()
    },
  }
}

interface Carrier {
  /** Takes what is due and sends it. */
  look(): void
  /** Resolves when nothing is on its way. */
  settled(): Promise<void>
  close(): Promise<void>
}

function createCarrier(options: DeliveryOptions): Carrier {
  const { references, timeLimitMs = usualTimeLimitMs, now = Date.now } = options
  const onItsWay = new Set<Promise<void>>()
  const leaving = new AbortController()
  let store: NoticeStore | undefined
  const sender = createSender(options)

  const look = (): void => {
    // A database that cannot be used now is looked at the next time: a run must not suffer from it.
    try {
      store ??= openNoticeStore(options.dataDir)
      if (!store || onItsWay.size >= mostAtOnce) return
      store.giveUp(now() - givenUpAfterMs, now())
      const againAtMs = now() + timeLimitMs + marginMs
      for (const notice of store.claim(references, mostAtOnce - onItsWay.size, now(), againAtMs)) {
        const trip = carry(notice, store).catch(() => {})
        onItsWay.add(trip)
        void trip.then(() => onItsWay.delete(trip))
      }
    } catch {
      // The next look tries again.
    }
  }
  const carry = async (notice: DueNotice, to: NoticeStore): Promise<void> => {
    const sent = await sender.send(notice, leaving.signal)
    if (sent.isDelivered) to.delivered(notice.id, now())
    // Whoever comes next need not wait: it was this process that had no more time.
    else if (leaving.signal.aborted) to.failed(notice.id, sent.reason, now())
    else to.failed(notice.id, sent.reason, now() + retryPauseMs(sent, notice.tries))
  }
  const settled = async (): Promise<void> => {
    while (onItsWay.size > 0) await Promise.all(onItsWay)
  }
  return {
    look,
    settled,
    async close() {
      leaving.abort()
      await settled()
      await sender.close()
      store?.close()
    },
  }
}
