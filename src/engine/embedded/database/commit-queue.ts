import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { RunbookError } from '../../../core/run-error.ts'
import { isBusy } from '../../file-lock/index.ts'

/**
 * Commits writes in the order in which they were queued. All writes that are queued while one batch of answers is
 * processed share one transaction, so that a thousand calls do not wait for a thousand commits.
 */
export interface CommitQueue {
  /** Resolves when the write is on disk. Rejects with `DataDirUnusable` if it cannot be written. */
  append(write: () => void): Promise<void>
  /**
   * Queues a write that no caller waits for. It is committed with the next awaited write, or within 100 ms. A failed
   * one is left out; see {@link lost}.
   */
  batch(write: () => void): void
  /** Commits the queued writes. */
  flush(): void
  /** Commits the queued writes, and accepts no more. Call it before closing the database. */
  close(): void
  /** Why the first of the batched writes failed. */
  lost(): unknown
}

interface QueuedWrite {
  readonly write: () => void
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

const longestBatchMs = 100

const awaitedByNone = (): void => {}

/** The database must have `synchronous=FULL`: a commit that returns is then on disk. */
export function createCommitQueue(database: DatabaseSyncInstance): CommitQueue {
  const commitAll = prepareCommit(database)
  let queued: QueuedWrite[] = []
  let isDue = false
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  let lost: unknown

  const lose = (error: unknown): void => {
    lost ??= error
  }
  const flush = (): void => {
    clearTimeout(timer)
    timer = undefined
    isDue = false
    const group = queued
    queued = []
    if (group.length > 0) commitAll(group)
  }
  return {
    append: (write) =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(unwritten(new Error('the run has ended')))
        queued.push({ write, resolve, reject })
        if (isDue) return
        isDue = true
        // The answers that arrived together are processed first, so that their writes share the commit.
        setImmediate(flush)
      }),
    batch(write) {
      if (isClosed) return
      queued.push({ write, resolve: awaitedByNone, reject: lose })
      timer ??= setTimeout(flush, longestBatchMs).unref()
    },
    flush,
    close() {
      flush()
      isClosed = true
    },
    lost: () => lost,
  }
}

type CommitAll = (group: readonly QueuedWrite[]) => void

/** Commits a group in one transaction. A failed write is left out, and the others are committed. */
function prepareCommit(database: DatabaseSyncInstance): CommitAll {
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  const commitAll: CommitAll = (group) => {
    try {
      begin.run()
      for (const { write } of group) write()
      commit.run()
    } catch (cause) {
      if (database.isTransaction) database.exec('ROLLBACK')
      // A locked database refuses each of them.
      if (group.length > 1 && !isBusy(cause)) for (const entry of group) commitAll([entry])
      else for (const { reject } of group) reject(unwritten(cause))
      return
    }
    for (const { resolve } of group) resolve()
  }
  return commitAll
}

/** The error that ends the run: nothing may depend on a write that is not recorded. */
function unwritten(cause: unknown): RunbookError {
  const message = `cannot write the journal: ${(cause as Error).message}`
  return new RunbookError('DataDirUnusable', message, { cause, endsRun: true })
}
