/** What was opened so far, to be closed together. */
export interface Opened {
  /** Has it closed before what was added earlier. */
  add(close: () => unknown): void
  /** Closes all of it, each once, also where closing another one fails. Rejects with the first failure. */
  close(): Promise<void>
}

function createOpened(): Opened {
  const closers: (() => unknown)[] = []
  return {
    add: (close) => void closers.push(close),
    async close() {
      const failures: unknown[] = []
      for (let close = closers.pop(); close; close = closers.pop()) {
        try {
          await close()
        } catch (thrown) {
          failures.push(thrown)
        }
      }
      if (failures.length > 0) throw failures[0]
    },
  }
}

/** Opens several things; where one of them fails, those that were opened before it are closed. */
export async function openTogether<T>(open: (opened: Opened) => Promise<T>): Promise<T> {
  const opened = createOpened()
  try {
    return await open(opened)
  } catch (thrown) {
    // What failed first is what matters.
    await opened.close().catch(() => {})
    throw thrown
  }
}
