import { join } from 'node:path'
import { RunbookError } from '../../../core/run-error.ts'
import { type FileLock, isBusy, isLocked, lockFile } from '../../file-lock/index.ts'
import { makeDirectory, withDatabase } from '../database/database.ts'
import { readServing, type Serving, writeServing } from '../run/run-scope.ts'

/** How long another process may hold the lock just to look at it. */
const maxWaitMs = 500

/**
 * Takes the lock of the process that claims queued runs in a data directory. Throws `RunInUse` if another process has
 * it.
 */
export function takeServeLock(dataDir: string): FileLock {
  makeDirectory(dataDir)
  try {
    return lockFile(lockPath(dataDir), maxWaitMs)
  } catch (cause) {
    if (isBusy(cause)) {
      const message = `another "opsbook serve" works in ${dataDir}`
      throw new RunbookError('RunInUse', message, {
        cause,
        notSent: true,
        next: 'End it, or name another folder with --data-dir.',
      })
    }
    const message = `cannot use the data directory ${dataDir}: ${(cause as Error).message}`
    throw new RunbookError('DataDirUnusable', message, { cause })
  }
}

/** Records the scope of the process that holds the lock. Queued runs get it from now on. */
export function recordServing(dataDir: string, serving: Serving | undefined): void {
  withDatabase(dataDir, (database) => writeServing(database, serving))
}

/** The scope of the process that claims runs in a data directory. Undefined: there is none, or it is still starting. */
export function findServing(dataDir: string): Serving | undefined {
  return isServed(dataDir) ? withDatabase(dataDir, readServing) : undefined
}

/** Whether a process claims queued runs in a data directory. */
export function isServed(dataDir: string): boolean {
  return isLocked(lockPath(dataDir))
}

function lockPath(dataDir: string): string {
  return join(dataDir, 'serve.lock')
}
