import { type FileHandle, open } from 'node:fs/promises'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'

/** Puts on disk what commits have left in the write-ahead log of a database, while the thread goes on. */
export interface LogSync {
  /** Resolves when everything that was committed before the call is on disk. */
  sync(): Promise<void>
  close(): Promise<void>
}

/**
 * What `synchronous=FULL` does at a commit, done by a thread of the pool. SQLite locks the database and never its log,
 * so that a handle of our own on the log takes no lock away; the log stays the same file as long as the database is open.
 */
export function createLogSync(database: DatabaseSyncInstance): LogSync {
  let handle: Promise<FileHandle> | undefined
  return {
    async sync() {
      handle ??= open(`${database.location()}-wal`, 'r+')
      await (await handle).datasync()
    },
    async close() {
      const opened = await handle?.catch(() => undefined)
      await opened?.close()
    },
  }
}
