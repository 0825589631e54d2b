import { join } from 'node:path'
import { RunbookError } from '../../core/run-error.ts'
import { type FileLock, isBusy, isLocked, lockFile } from '../file-lock.ts'
import { makeDirectory, openDatabase } from './database.ts'
import { readServing, type Serving, writeServing } from './run-scope.ts'

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

/** Records what the process that holds the lock serves; what is queued from now on belongs to it. */
export function recordServing(dataDir: string, serving: Serving | undefined): void {
  const database = openDatabase(dataDir)
  try {
    writeServing(database, serving)
  } finally {
    database.close()
  }
}

/** What the process serves that takes up runs in a data directory. Undefined: there is none, or it is still starting. */
export function findServing(dataDir: string): Serving | undefined {
  if (!isServed(dataDir)) return undefined
  const database = openDatabase(dataDir)
  try {
    return readServing(database)
  } finally {
    database.close()
  }
}

/** Whether a process takes up what waits in a data directory. */
export function isServed(dataDir: string): boolean {
  return isLocked(lockPath(dataDir))
}

function lockPath(dataDir: string): string {
  return join(dataDir, 'serve.lock')
}
