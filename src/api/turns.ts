import PQueue from 'p-queue'
import { cancelled } from './cancelled.ts'

/** How a caller waits for its turn. */
export interface TurnOptions {
  readonly signal?: AbortSignal | undefined
  /** Higher goes first. */
  readonly priority?: number | undefined
}

/** A bounded number of turns, given out by priority and then in order. */
export interface Turns {
  /** Resolves with the function that ends the turn. Rejects with `Cancelled` when the signal is aborted before. */
  take(options?: TurnOptions): Promise<() => void>
  /** The function that ends the turn where one is free and nobody waits for it. */
  takeNow(): (() => void) | undefined
}

/** Turns for as many at a time. Only those who must wait go through the queue: most calls never do. */
export function createTurns(atOnce: number): Turns {
  // Paused: a caller leaves the queue only when a turn is free, so that one of a higher priority can still overtake.
  const queue = new PQueue({ concurrency: 1, autoStart: false })
  let running = 0

  const handOn = (): void => {
    if (running >= atOnce || queue.size === 0) return
    queue.start()
    queue.pause()
  }
  // The queue starts one caller at a time; the next one once it is done with the last.
  queue.on('next', handOn)

  const end = (): void => {
    running--
    handOn()
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
