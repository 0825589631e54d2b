import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { RunbookError } from '../../core/run-error.ts'
import { type FileLock, isBusy, isLocked, lockFile } from '../file-lock.ts'
import { ownersFolder } from './database.ts'

/** The right to carry out one run, held by one process at a time. The system takes it back when the process dies. */
export interface Ownership {
  /** `isOver`: nobody will ever carry the run on. */
  release(isOver: boolean): void
}

/** How long somebody who only looks whether there is an owner may be in the way. */
const patienceMs = 500

/** Takes the run. Rejects with `RunInUse` where another process, or this one, has it. */
export function takeOwnership(dataDir: string, runId: string): Ownership {
  let locked = lockOnce(dataDir, runId)
  // Whoever had it ended the run for good while this one waited: nobody is in the way any more.
  while (!locked) locked = lockOnce(dataDir, runId)
  const lock = locked
  return {
    release(isOver) {
      lock.release()
      // Where the run can go on, the file stays: somebody may be waiting for the lock on it.
      if (isOver) rmSync(ownerFile(dataDir, runId), { force: true })
    },
  }
}

/** The lock; undefined where its file went while it was waited for. */
function lockOnce(dataDir: string, runId: string): FileLock | undefined {
  const file = ownerFile(dataDir, runId)
  try {
    mkdirSync(ownersFolder(dataDir), { recursive: true, mode: 0o700 })
    return lockFile(file, patienceMs)
  } catch (cause) {
    if (isBusy(cause)) throw new RunbookError('RunInUse', `another process carries out ${runId}`, { cause })
    if (isGone(cause)) return undefined
    const message = `cannot lock ${file}: ${(cause as Error).message}`
    throw new RunbookError('DataDirUnusable', message, { cause })
  }
}

/** Whether a process that lives carries out the run. */
export function isOwned(dataDir: string, runId: string): boolean {
  return isLocked(ownerFile(dataDir, runId))
}

function ownerFile(dataDir: string, runId: string): string {
  return join(ownersFolder(dataDir), `${runId}.lock`)
}

/** SQLITE_IOERR_FSTAT: what is open is no longer in its folder. */
function isGone(error: unknown): boolean {
  return (error as { readonly errcode?: number }).errcode === 1802
}
