import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { RunbookError } from '../../core/run-error.ts'
import { isBusy } from '../file-lock.ts'

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
  /**
   * The same for what nothing depends on: it waits for more of its kind, so that the transactions that somebody waits
   * for stay small, and no longer than a moment. Those that cannot be made are left out, and `onLost` is told.
   */
  gather(write: () => void, onLost?: () => void): void
  /** Puts on disk what is queued. */
  flush(): void
  /** Why the first of the writes that nobody waited for could not be made. */
  readonly lost: unknown
}

/** Long enough for a step to end, short enough for those who watch from another process. */
const idleMs = 100
/** No more than this is kept waiting for something to go along with. */
const mostRiders = 500
/** So many that were gathered do not go along yet. */
const mostLeft = 3

const nothing = (): void => {}

interface Entry {
  readonly write: () => void
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

export function createCommitQueue(database: DatabaseSyncInstance): CommitQueue {
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  let entries: Entry[] = []
  let gathered: Entry[] = []
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
      if (group.length > 1 && !isHeld(error)) for (const entry of group) settle([entry])
      else for (const { reject } of group) reject(error)
      return
    }
    for (const { resolve } of group) resolve()
  }
  const flushUpTo = (mostLeft: number): void => {
    const isFew = gathered.length <= mostLeft
    const group = isFew ? entries : [...gathered, ...entries]
    entries = []
    if (!isFew) gathered = []
    isDue = false
    if (group.length > 0) settle(group)
  }
  const flush = (): void => flushUpTo(0)
  const lose = (error: unknown): void => {
    lost ??= error
  }
  /** After the answers that have come in together, and what follows from them at once. */
  const flushSoon = (): void => {
    if (isDue) return
    isDue = true
    setImmediate(flushUpTo, mostLeft)
  }
  /** At the latest after a moment, if nothing else comes that they go along with. */
  const flushLater = (): void => {
    if (hasTimer) return
    hasTimer = true
    setTimeout(() => {
      hasTimer = false
      flush()
    }, idleMs).unref()
  }
  return {
    append(write) {
      return new Promise((resolve, reject) => {
        entries.push({ write, resolve, reject })
        flushSoon()
      })
    },
    ride(write) {
      entries.push({ write, resolve: nothing, reject: lose })
      if (entries.length >= mostRiders) flushSoon()
      flushLater()
    },
    gather(write, onLost) {
      const reject = (error: unknown): void => {
        lose(error)
        onLost?.()
      }
      gathered.push({ write, resolve: nothing, reject })
      if (gathered.length >= mostRiders) flushSoon()
      flushLater()
    },
    flush,
    get lost() {
      return lost
    },
  }
}

/** After all the time that waiting for the other process is given. */
function isHeld(error: unknown): boolean {
  const { cause } = error as Error
  return cause !== undefined && isBusy(cause)
}
