import { existsSync } from 'node:fs'
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite'

/** A file that one process holds at a time. The system takes it back when the process dies. */
export interface FileLock {
  release(): void
}

/** Connections whose locks are held. One that nothing refers to would be collected, and its lock with it. */
const held = new Set<DatabaseSyncInstance>()

/**
 * Locks a file, which is made where it is missing. Throws an error of SQLite: one that {@link isBusy} knows where
 * somebody, in this process or another, holds it for all of that time.
 */
export function lockFile(file: string, patienceMs: number): FileLock {
  const lock = new DatabaseSync(file)
  try {
    // Nothing is ever written to the file: the lock is all it is for.
    lock.exec(`PRAGMA busy_timeout = ${patienceMs}; PRAGMA journal_mode = OFF; BEGIN EXCLUSIVE`)
  } catch (error) {
    lock.close()
    throw error
  }
  held.add(lock)
  return {
    release() {
      held.delete(lock)
      lock.close()
    },
  }
}

/** Whether somebody who lives holds the lock on a file. */
export function isLocked(file: string): boolean {
  if (!existsSync(file)) return false
  let lock: DatabaseSyncInstance | undefined
  try {
    lock = new DatabaseSync(file, { readOnly: true })
    lock.exec('SELECT 1 FROM sqlite_schema')
    return false
  } catch (error) {
    // The file may have gone in between.
    return isBusy(error)
  } finally {
    lock?.close()
  }
}

/** SQLITE_BUSY. */
export function isBusy(error: unknown): boolean {
  return (error as { readonly errcode?: number }).errcode === 5
}
