import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { createTargetLocks, type TargetLockOptions, type TargetLocks } from '../../../api/index.ts'
import { cancelled, sleepUntil, steadyNow } from '../../../api/pacing/index.ts'
import { RunbookError } from '../../../core/run-error.ts'
import { type FileLock, isBusy, openLock } from '../../file-lock/index.ts'
import { limitsUnusable } from './open-limits.ts'

/** Target locks that are all released at the end. */
export interface SharedTargetLocks extends TargetLocks {
  close(): void
}

/** The time between two attempts to lock a file. It grows while a call waits. */
const [leastPollMs, mostPollMs] = [10, 40]

/**
 * The target locks of all processes that use a folder. A target is a locked file, which the system unlocks when the
 * process dies. Within a process, calls wait for each other by priority and in order. The first of them tries the file
 * until it gets the lock, as those of other processes do.
 */
export function createSharedTargetLocks(folder: string): SharedTargetLocks {
  const own = createTargetLocks()
  const opened = new Set<FileLock>()
  let isClosed = false
  const release = (lock: FileLock): void => {
    if (opened.delete(lock)) lock.release()
  }
  const lockTarget = async (key: string, { signal, onWait }: TargetLockOptions): Promise<FileLock> => {
    const name = createHash('sha256').update(key).digest('hex').slice(0, 32)
    const lock = openLock(join(folder, `${name}.lock`), 0)
    opened.add(lock)
    try {
      for (let pollMs = leastPollMs; ; pollMs = Math.min(pollMs * 1.2, mostPollMs)) {
        if (signal?.aborted) throw cancelled(signal, false)
        if (isClosed) throw new Error('it was closed')
        try {
          lock.take()
          return lock
        } catch (error) {
          if (!isBusy(error)) throw error
        }
        onWait?.()
        await pause(pollMs, signal)
      }
    } catch (error) {
      release(lock)
      throw error
    }
  }
  return {
    async acquire(key, options = {}) {
      let hasWaited = false
      const onWait = (): void => {
        if (!hasWaited) options.onWait?.()
        hasWaited = true
      }
      const freeOwn = await own.acquire(key, { ...options, onWait })
      try {
        // This process has just had the target: now the others have the first chance.
        if (hasWaited) await pause(leastPollMs, options.signal)
        const lock = await lockTarget(key, { ...options, onWait })
        return () => {
          release(lock)
          freeOwn()
        }
      } catch (error) {
        freeOwn()
        throw RunbookError.is(error) ? error : limitsUnusable(folder, error)
      }
    },
    close() {
      isClosed = true
      for (const lock of opened) release(lock)
    },
  }
}

/** Sleeps for this time or up to twice as long. */
function pause(leastMs: number, signal: AbortSignal | undefined): Promise<void> {
  return sleepUntil(steadyNow() + leastMs * (1 + Math.random()), signal).isOver
}
