import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { RunbookError } from '../../core/run-error.ts'
import { isBusy } from '../file-lock.ts'
import { createLogSync } from './log-sync.ts'

/**
 * Puts writes on disk together: everything that is queued while the same batch of answers is being worked on is one
 * transaction, so that a thousand calls at once do not wait for a thousand commits.
 */
export interface CommitQueue {
  /** Resolves when the write is on disk. Rejects with `DataDirUnusable` where it is not, or nobody knows. */
  append(write: () => void): Promise<void>
  /**
   * Resolves when the write is in the database: it outlives this process. It is on disk at the latest with the next
   * write that is awaited there. Rejects as {@link append} does.
   */
  enter(write: () => void): Promise<void>
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
  /** To be called before the database is closed: resolves when nothing of the queue uses it. What is queued is left out. */
  close(): Promise<void>
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
  /** Somebody waits until it is on disk. */
  readonly isAwaited: boolean
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

export function createCommitQueue(database: DatabaseSyncInstance): CommitQueue {
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  let entries: Entry[] = []
  let gathered: Entry[] = []
  const log = createLogSync(database)
  let isDue = false
  let isSyncing = false
  let isClosed = false
  let syncs = Promise.resolve()
  let hasTimer = false
  let lost: unknown

  /** At the level `NORMAL` the log is not put on disk. */
  const transact = (group: readonly Entry[], level: 'FULL' | 'NORMAL'): void => {
    try {
      if (level === 'NORMAL') database.exec('PRAGMA synchronous = NORMAL')
      begin.run()
      for (const { write } of group) write()
      commit.run()
    } catch (cause) {
      if (database.isTransaction) database.exec('ROLLBACK')
      throw unwritten(cause)
    } finally {
      if (level === 'NORMAL') database.exec('PRAGMA synchronous = FULL')
    }
  }
  /** Those of a group that are committed. The others are told why they are not. */
  const commitThose = (group: readonly Entry[], level: 'FULL' | 'NORMAL'): readonly Entry[] => {
    try {
      transact(group, level)
      return group
    } catch (error) {
      // One write that is refused must not take the others with it. A database that others hold refuses them all.
      if (group.length > 1 && !isHeld(error)) return group.flatMap((entry) => commitThose([entry], level))
      for (const { reject } of group) reject(error)
      return []
    }
  }
  const settle = (group: readonly Entry[], level: 'FULL' | 'NORMAL'): void => {
    const committed = commitThose(group, level)
    const awaited = level === 'FULL' ? [] : committed.filter(({ isAwaited }) => isAwaited)
    for (const entry of committed) if (level === 'FULL' || !entry.isAwaited) entry.resolve()
    if (awaited.length > 0) syncs = syncs.then(() => putOnDisk(awaited))
  }
  /** Meanwhile the next answers are worked on; what they write waits, so that it is few transactions. */
  const putOnDisk = async (awaited: readonly Entry[]): Promise<void> => {
    isSyncing = true
    try {
      await log.sync()
      for (const { resolve } of awaited) resolve()
    } catch (cause) {
      for (const { reject } of awaited) reject(unwritten(cause))
    }
    isSyncing = false
    if (entries.length > 0) flushSoon()
  }
  const flushUpTo = (mostLeft: number, level: 'FULL' | 'NORMAL'): void => {
    if (isClosed) return
    const isFew = gathered.length <= mostLeft
    const group = isFew ? entries : [...gathered, ...entries]
    entries = []
    if (!isFew) gathered = []
    isDue = false
    if (group.length > 0) settle(group, log.isInDoubt ? 'NORMAL' : level)
  }
  const flush = (): void => flushUpTo(0, 'FULL')
  const flushNow = (): void => {
    if (isSyncing) isDue = false
    else flushUpTo(mostLeft, levelFor(entries))
  }
  const lose = (error: unknown): void => {
    lost ??= error
  }
  /** After the answers that have come in together, and what follows from them at once. */
  const flushSoon = (): void => {
    if (isDue) return
    isDue = true
    setImmediate(flushNow)
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
        entries.push({ write, isAwaited: true, resolve, reject })
        flushSoon()
      })
    },
    enter(write) {
      return new Promise((resolve, reject) => {
        entries.push({ write, isAwaited: false, resolve, reject })
        flushSoon()
      })
    },
    ride(write) {
      entries.push({ write, isAwaited: false, resolve: nothing, reject: lose })
      if (entries.length >= mostRiders) flushSoon()
      flushLater()
    },
    gather(write, onLost) {
      const reject = (error: unknown): void => {
        lose(error)
        onLost?.()
      }
      gathered.push({ write, isAwaited: false, resolve: nothing, reject })
      if (gathered.length >= mostRiders) flushSoon()
      flushLater()
    },
    flush,
    async close() {
      isClosed = true
      await syncs
      await log.close()
    },
    get lost() {
      return lost
    },
  }
}

/**
 * Where one write is awaited, nothing else is to be done until it is on disk, and SQLite itself is the quickest to put it
 * there. Of several, each has what follows from it.
 */
function levelFor(entries: readonly Entry[]): 'FULL' | 'NORMAL' {
  return entries.filter(({ isAwaited }) => isAwaited).length === 1 ? 'FULL' : 'NORMAL'
}

/** Nothing may go on that nothing can be recorded of. */
function unwritten(cause: unknown): RunbookError {
  const message = `cannot write the journal: ${(cause as Error).message}`
  return new RunbookError('DataDirUnusable', message, { cause, endsRun: true })
}

/** After all the time that waiting for the other process is given. */
function isHeld(error: unknown): boolean {
  const { cause } = error as Error
  return cause !== undefined && isBusy(cause)
}
