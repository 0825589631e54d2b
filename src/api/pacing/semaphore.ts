import PQueue from 'p-queue'
import { cancelled } from './waits.ts'

/** How a caller waits for a slot. */
export interface SlotOptions {
  readonly signal?: AbortSignal | undefined
  /** Higher priorities are served first. */
  readonly priority?: number | undefined
}

/** A semaphore: grants a bounded number of slots, by priority and then in order. */
export interface Semaphore {
  /**
   * Resolves with the function that releases the slot. Rejects with `Cancelled` when the signal is aborted
   * before.
   */
  take(options?: SlotOptions): Promise<() => void>
  /** The function that releases the slot, if one is free and no caller waits. */
  takeNow(): (() => void) | undefined
}

/** A semaphore of `atOnce` slots. Only callers that must wait use the queue. */
export function createSemaphore(atOnce: number): Semaphore {
  // Paused: a caller leaves the queue only when a slot is free, so that a higher priority can overtake.
  const queue = new PQueue({ concurrency: 1, autoStart: false })
  let running = 0

  const startNext = (): void => {
    if (running >= atOnce || queue.size === 0) return
    queue.start()
    queue.pause()
  }
  // The queue starts one caller at a time.
  queue.on('next', startNext)

  const end = (): void => {
    running--
    startNext()
  }
  const takeNow = (): (() => void) | undefined => {
    if (running >= atOnce || queue.size > 0 || queue.pending > 0) return undefined
    running++
    return end
  }
  return {
    async take({ signal, priority = 0 } = {}) {
      const endNow = takeNow()
      if (endNow) return endNow
      await waitInQueue(queue, () => running++, priority, signal)
      return end
    },
    takeNow,
  }
}

async function waitInQueue(
  queue: PQueue,
  begin: () => unknown,
  priority: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    await queue.add(async () => begin(), { priority, ...(signal ? { signal } : {}) })
  } catch {
    throw cancelled(signal, false)
  }
}
