import { type FileHandle, open } from 'node:fs/promises'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'

/** Puts on disk what commits have left in the write-ahead log of a database, while the thread goes on. */
export interface LogSync {
  /** Resolves when everything that was committed before the call is on disk. */
  sync(): Promise<void>
  /** The last try failed: only a try that succeeds says what is on disk. */
  readonly isInDoubt: boolean
  close(): Promise<void>
}

/**
 * What `synchronous=FULL` does at a commit, done by a thread of the pool. SQLite locks the database and never its log,
 * so that a handle of our own on the log takes no lock away; the log stays the same file as long as the database is open.
 */
export function createLogSync(database: DatabaseSyncInstance): LogSync {
  let handle: Promise<FileHandle> | undefined
  let isInDoubt = false
  const close = async (): Promise<void> => {
    const opened = await handle?.catch(() => undefined)
    handle = undefined
    await opened?.close()
  }
  return {
    async sync() {
      try {
        if (isInDoubt) putInDatabase(database)
        isInDoubt = false
        handle ??= open(`${database.location()}-wal`, 'r+')
        await (await handle).datasync()
      } catch (error) {
        isInDoubt = true
        await close()
        throw error
      }
    },
    get isInDoubt() {
      return isInDoubt
    },
    close,
  }
}

/** A system may forget what it could not write: a second sync of the same file would promise too much. */
function putInDatabase(database: DatabaseSyncInstance): void {
  const { busy } = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() ?? {}
  if (busy !== 0) throw new Error('the log of the database is in use, and could not be put on disk before')
}
