import { join } from 'node:path'
import { RunbookError } from '../../core/run-error.ts'
import { type FileLock, isBusy, isLocked, lockFile } from '../file-lock.ts'
import { makeDirectory } from './database.ts'

/** How long somebody who only looks may be in the way. */
const patienceMs = 500

/** Makes this process the one that takes up what waits in a data directory. Throws `RunInUse` where another is. */
export function takeServeLock(dataDir: string): FileLock {
  makeDirectory(dataDir)
  try {
    return lockFile(lockPath(dataDir), patienceMs)
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

/** Whether a process takes up what waits in a data directory. */
export function isServed(dataDir: string): boolean {
  return isLocked(lockPath(dataDir))
}

function lockPath(dataDir: string): string {
  return join(dataDir, 'serve.lock')
}
