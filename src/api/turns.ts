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
  /** Whether a turn would have to be waited for now. */
  isFull(): boolean
  /** Resolves with the function that ends the turn. Rejects with `Cancelled` when the signal is aborted before. */
  take(options?: TurnOptions): Promise<() => void>
}

export function createTurns(concurrency: number): Turns {
  const queue = new PQueue({ concurrency })
  return {
    isFull: () => queue.pending >= concurrency,
    take({ signal, priority = 0 } = {}) {
      return new Promise((resolve, reject) => {
        // An abort during the turn ends it here too: whoever has it stops by the same signal.
        queue
          .add(() => new Promise<void>((end) => resolve(end)), { priority, ...(signal ? { signal } : {}) })
          .catch(() => reject(cancelled(signal, false)))
      })
    },
  }
}
