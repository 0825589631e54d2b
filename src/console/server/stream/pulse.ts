import { createHash } from 'node:crypto'

/** Notifies its listeners of each change of a document. It is read only while there are listeners, once for all. */
export interface Pulse {
  /**
   * `changed` is called once the document was read, and after each change, until the returned function is called. Who
   * reads the document in `changed` misses none.
   */
  listen(changed: () => void): () => void
  close(): void
}

export function createPulse(
  read: () => Promise<unknown>,
  everyMs: number,
  onFailure: (error: unknown) => void,
): Pulse {
  const listeners = new Set<() => void>()
  let timer: NodeJS.Timeout | undefined
  let known: string | undefined
  let isReading = false
  const look = async (): Promise<void> => {
    if (isReading) return
    isReading = true
    try {
      const found = createHash('sha256')
        .update(JSON.stringify(await read()))
        .digest('hex')
      const isNew = known !== found
      known = found
      if (isNew) for (const changed of listeners) changed()
    } catch (error) {
      onFailure(error)
    } finally {
      isReading = false
    }
  }
  const stop = (): void => {
    clearInterval(timer)
    timer = undefined
    known = undefined
  }
  return {
    listen(changed) {
      listeners.add(changed)
      // What changes later than the last look is found by the next one.
      if (known !== undefined) changed()
      if (timer === undefined) {
        timer = setInterval(look, everyMs)
        void look()
      }
      return () => {
        listeners.delete(changed)
        if (listeners.size === 0) stop()
      }
    },
    close: stop,
  }
}
