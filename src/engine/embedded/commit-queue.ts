import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { RunbookError } from '../../core/run-error.ts'

/**
 * Puts writes on disk together: everything that is queued while the same batch of answers is being worked on is one
 * transaction, so that a thousand calls at once do not wait for a thousand commits.
 */
export interface CommitQueue {
  /** Resolves when the write is on disk. Rejects with `DataDirUnusable`, and then it is not. */
  append(write: () => void): Promise<void>
  /**
   * Queues a write that nobody waits for: it goes along with the next one that somebody does, or by itself after a
   * moment. One that cannot be made is left out; see {@link lost}.
   */
  ride(write: () => void): void
  /** Puts on disk what is queued. */
  flush(): void
  /** Why the first of the writes that nobody waited for could not be made. */
  readonly lost: unknown
}

/** Long enough for a step to end, short enough for those who watch from another process. */
const idleMs = 100
/** No more than this is kept waiting for something to go along with. */
const mostRiders = 500

interface Entry {
  readonly write: () => void
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

export function createCommitQueue(database: DatabaseSyncInstance): CommitQueue {
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  let entries: Entry[] = []
  let isDue = false
  let hasTimer = false
  let lost: unknown

  const transact = (group: readonly Entry[]): void => {
    try {
      begin.run()
      for (const { write } of group) write()
      commit.run()
    } catch (cause) {
      if (database.isTransaction) database.exec('ROLLBACK')
      const message = `cannot write the journal: ${(cause as Error).message}`
      // Nothing may go on that nothing can be recorded of.
      throw new RunbookError('DataDirUnusable', message, { cause, endsRun: true })
    }
  }
  const settle = (group: readonly Entry[]): void => {
    try {
      transact(group)
    } catch (error) {
      // One write that is refused must not take the others with it. A database that others hold refuses them all.
      if (group.length > 1 && !isBusy(error)) for (const entry of group) settle([entry])
      else for (const { reject } of group) reject(error)
      return
    }
    for (const { resolve } of group) resolve()
  }
  const flush = (): void => {
    const group = entries
    entries = []
    isDue = false
    if (group.length > 0) settle(group)
  }
  /** After the answers that have come in together, and what follows from them at once. */
  const flushSoon = (): void => {
    if (isDue) return
    isDue = true
    setImmediate(flush)
  }
  return {
    append(write) {
      return new Promise((resolve, reject) => {
        entries.push({ write, resolve, reject })
        flushSoon()
      })
    },
    ride(write) {
      const reject = (error: unknown): void => {
        lost ??= error
      }
      entries.push({ write, resolve() {}, reject })
      if (entries.length >= mostRiders) flushSoon()
      if (hasTimer) return
      hasTimer = true
      setTimeout(() => {
        hasTimer = false
        flush()
      }, idleMs).unref()
    },
    flush,
    get lost() {
      return lost
    },
  }
}

/** SQLITE_BUSY, after all the time that waiting for the other process is given. */
function isBusy(error: unknown): boolean {
  return ((error as Error).cause as { readonly errcode?: number } | undefined)?.errcode === 5
}
