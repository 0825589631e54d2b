import { existsSync } from 'node:fs'
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite'

/** A lock on a file that one process holds at a time. The system releases it when the process dies. */
export interface FileLock {
  release(): void
}

/** Connections that hold locks. A connection without a reference would be collected, and its lock released. */
const held = new Set<DatabaseSyncInstance>()

/**
 * Locks a file, and creates it if it is missing. Waits for at most `maxWaitMs`. Throws an error of SQLite; {@link
 * isBusy} recognises a lock that this or another process holds.
 */
export function lockFile(file: string, maxWaitMs: number): FileLock {
  const lock = openLock(file, maxWaitMs)
  try {
    lock.take()
    return lock
  } catch (error) {
    lock.release()
    throw error
  }
}

/** A lock that can be tried repeatedly, as {@link lockFile} does once. Release it also if it was never taken. */
export function openLock(file: string, maxWaitMs: number): FileLock & { take(): void } {
  const lock = new DatabaseSync(file)
  return {
    take() {
      // Nothing is written to the file. It exists only for its lock.
      lock.exec(`PRAGMA busy_timeout = ${maxWaitMs}; PRAGMA journal_mode = OFF; BEGIN EXCLUSIVE`)
      held.add(lock)
    },
    release() {
      held.delete(lock)
      lock.close()
    },
  }
}

/** Whether a living process holds the lock on a file. */
export function isLocked(file: string): boolean {
  if (!existsSync(file)) return false
  let lock: DatabaseSyncInstance | undefined
  try {
    lock = new DatabaseSync(file, { readOnly: true })
    lock.exec('SELECT 1 FROM sqlite_schema')
    return false
  } catch (error) {
    // The file may have been removed in the meantime.
    return isBusy(error)
  } finally {
    lock?.close()
  }
}

/** SQLITE_BUSY. */
export function isBusy(error: unknown): boolean {
  return (error as { readonly errcode?: number }).errcode === 5
}
