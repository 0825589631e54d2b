import { RunbookError } from '../core/run-error.ts'

/** The life of a client: from the first call to closing. */
export interface Life {
  /**
   * Counts one call in. Answers with the function that counts it out. Throws once closing has begun. Closing does not
   * wait for a call that can be told to give up, with `giveUp`.
   */
  begin(giveUp?: () => void): () => void
  /** Resolves when no call is under way; no new one may begin. */
  end(): Promise<void>
}

export function createLife(): Life {
  let running = 0
  const quitters = new Set<() => void>()
  let isClosing = false
  let closed = (): void => {}
  const allOver = new Promise<void>((resolve) => {
    closed = resolve
  })
  const settle = (): void => {
    if (isClosing && running === 0) closed()
  }
  return {
    begin(giveUp) {
      if (isClosing) throw new RunbookError('Cancelled', 'the client is closed', { notSent: true })
      if (giveUp) {
        quitters.add(giveUp)
        return () => quitters.delete(giveUp)
      }
      running++
      return () => {
        running--
        settle()
      }
    },
    end() {
      isClosing = true
      for (const giveUp of quitters) giveUp()
      settle()
      return allOver
    },
  }
}
