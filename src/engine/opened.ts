/** Resources that were opened so far, to be closed together. */
export interface Opened {
  /** Adds a resource. The last one added is closed first. */
  add(close: () => unknown): void
  /** Closes each resource once, even if closing another one fails. Rejects with the first failure. */
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

/** Opens several resources. If one fails, closes those that were opened before it. */
export async function openTogether<T>(open: (opened: Opened) => Promise<T>): Promise<T> {
  const opened = createOpened()
  try {
    return await open(opened)
  } catch (thrown) {
    // The first failure is the one to report.
    await opened.close().catch(() => {})
    throw thrown
  }
}
