import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite'
import { RunbookError } from '../../core/run-error.ts'

/** The right to carry out one run, held by one process at a time. The system takes it back when the process dies. */
export interface Ownership {
  /** `isOver`: nobody will ever carry the run on. */
  release(isOver: boolean): void
}

/** Connections whose locks are held. One that nothing refers to would be collected, and its lock with it. */
const held = new Set<DatabaseSyncInstance>()

/** How long somebody who only looks whether there is an owner may be in the way. */
const patienceMs = 500

/** Takes the run. Rejects with `RunInUse` where another process, or this one, has it. */
export function takeOwnership(dataDir: string, runId: string): Ownership {
  const file = lockFile(dataDir, runId)
  let lock: DatabaseSyncInstance | undefined
  try {
    mkdirSync(join(dataDir, folder), { recursive: true, mode: 0o700 })
    lock = new DatabaseSync(file)
    // Nothing is ever written to the file: the lock is all it is for.
    lock.exec(`PRAGMA busy_timeout = ${patienceMs}; PRAGMA journal_mode = OFF; BEGIN EXCLUSIVE`)
  } catch (cause) {
    lock?.close()
    if (isBusy(cause)) throw new RunbookError('RunInUse', `another process carries out ${runId}`, { cause })
    const message = `cannot lock ${file}: ${(cause as Error).message}`
    throw new RunbookError('DataDirUnusable', message, { cause })
  }
  held.add(lock)
  return {
    release(isOver) {
      held.delete(lock)
      lock.close()
      // Where the run can go on, the file stays: somebody may be waiting for the lock on it.
      if (isOver) rmSync(file, { force: true })
    },
  }
}

/** Whether a process that lives carries out the run. */
export function isOwned(dataDir: string, runId: string): boolean {
  const file = lockFile(dataDir, runId)
  if (!existsSync(file)) return false
  let lock: DatabaseSyncInstance | undefined
  try {
    lock = new DatabaseSync(file, { readOnly: true })
    lock.prepare('SELECT 1 FROM sqlite_schema').get()
    return false
  } catch (error) {
    // The file may have gone in between.
    return isBusy(error)
  } finally {
    lock?.close()
  }
}

const folder = 'owners'

function lockFile(dataDir: string, runId: string): string {
  return join(dataDir, folder, `${runId}.lock`)
}

/** SQLITE_BUSY. */
function isBusy(error: unknown): boolean {
  return (error as { readonly errcode?: number }).errcode === 5
}
