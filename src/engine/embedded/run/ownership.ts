import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { RunbookError } from '../../../core/run-error.ts'
import { type FileLock, isBusy, isLocked, lockFile } from '../../file-lock/index.ts'
import { ownersFolder } from '../database/database.ts'

/** The right to execute one run, held by one process at a time. The system releases it when the process dies. */
export interface Ownership {
  /** `isOver`: the run can never be resumed. */
  release(isOver: boolean): void
}

/** How long another process may hold the lock just to see whether there is an owner. */
const maxWaitMs = 500

/** Takes the ownership of a run. Throws `RunInUse` if this or another process has it. */
export function takeOwnership(dataDir: string, runId: string): Ownership {
  let locked = lockOnce(dataDir, runId)
  // The last owner ended the run and removed the lock file in the meantime, so a new lock succeeds.
  while (!locked) locked = lockOnce(dataDir, runId)
  const lock = locked
  return {
    release(isOver) {
      lock.release()
      // If the run can be resumed, the file stays: another process may be waiting for its lock.
      if (isOver) rmSync(ownerFile(dataDir, runId), { force: true })
    },
  }
}

/** Locks the file. Undefined: the file was removed during the wait. */
function lockOnce(dataDir: string, runId: string): FileLock | undefined {
  const file = ownerFile(dataDir, runId)
  try {
    mkdirSync(ownersFolder(dataDir), { recursive: true, mode: 0o700 })
    return lockFile(file, maxWaitMs)
  } catch (cause) {
    if (isBusy(cause)) throw new RunbookError('RunInUse', `another process runs ${runId}`, { cause })
    if (isGone(cause)) return undefined
    const message = `cannot lock ${file}: ${(cause as Error).message}`
    throw new RunbookError('DataDirUnusable', message, { cause })
  }
}

/** Whether a living process executes the run. */
export function isOwned(dataDir: string, runId: string): boolean {
  return isLocked(ownerFile(dataDir, runId))
}

function ownerFile(dataDir: string, runId: string): string {
  return join(ownersFolder(dataDir), `${runId}.lock`)
}

/** SQLITE_IOERR_FSTAT: the open file is no longer in its folder. */
function isGone(error: unknown): boolean {
  return (error as { readonly errcode?: number }).errcode === 1802
}
