import { setTimeout as sleep } from 'node:timers/promises'
import type { Dispatcher } from 'undici'
import { type DueNotice, type NoticeStore, openNoticeStore } from '../engine/embedded/index.ts'
import type { Sent } from './send-notice.ts'

/** What delivering needs. */
export interface DeliveryOptions {
  readonly dataDir: string
  /** The references of the targets that this process delivers to. */
  readonly references: readonly string[]
  /** The address that a reference leads to, looked up anew for each try. Rejects with why there is none; the reason is recorded. */
  readonly resolve: (reference: string) => Promise<string>
  /** Unix time in milliseconds. */
  readonly now?: () => number
  /**
   * How long one try may take, in milliseconds.
   * @default 10000
   */
  readonly timeLimitMs?: number
}

/** Messages on their way, as long as this process runs. Nothing of it fails, and nobody waits for it. */
export interface Delivery {
  /** Stops. What is still on its way gets a moment to arrive; the rest is for the next process. */
  end(graceMs: number): Promise<void>
}

const lookMs = 500
const mostAtOnce = 8
/** Added to the time limit of a try, before somebody else makes the next one. */
const marginMs = 5000
const firstPauseMs = 5000
const longestPauseMs = 3_600_000
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
  const { references, timeLimitMs = 10_000, now = Date.now } = options
  const onItsWay = new Set<Promise<void>>()
  const leaving = new AbortController()
  let store: NoticeStore | undefined
  let dispatcher: Promise<Dispatcher> | undefined

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
    const sent = await trySending(notice)
    if (sent.isDelivered) to.delivered(notice.id, now())
    // Whoever comes next need not wait: it was this process that had no more time.
    else if (leaving.signal.aborted) to.failed(notice.id, sent.reason, now())
    else to.failed(notice.id, sent.reason, now() + Math.max(pauseMs(notice.tries), sent.retryAfterMs ?? 0))
  }
  const trySending = async (notice: DueNotice): Promise<Sent> => {
    try {
      const url = await options.resolve(notice.target)
      const { sendNotice } = await import('./send-notice.ts')
      dispatcher ??= createDispatcher()
      const signal = AbortSignal.any([AbortSignal.timeout(timeLimitMs), leaving.signal])
      return await sendNotice(notice, url, await dispatcher, signal)
    } catch (error) {
      return { isDelivered: false, reason: (error as Error).message }
    }
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
      await (await dispatcher)?.destroy()
      store?.close()
    },
  }
}

/** Connections of its own: a target that hangs keeps nobody else from theirs. */
async function createDispatcher(): Promise<Dispatcher> {
  const { EnvHttpProxyAgent } = await import('undici')
  return new EnvHttpProxyAgent({ connections: mostAtOnce })
}

/** Longer each time, and never the same for all. */
function pauseMs(tries: number): number {
  const pause = Math.min(firstPauseMs * 3 ** (tries - 1), longestPauseMs)
  return Math.round(pause * (0.75 + Math.random() / 2))
}
