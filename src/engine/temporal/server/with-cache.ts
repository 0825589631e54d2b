import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type FileLock, isBusy, lockFile } from '../../file-lock.ts'

const lookAgainMs = 250

/** Does something while no other process does it to the same cache. Tells when it has to wait for one. */
export async function withCache<T>(
  folder: string,
  tell: (line: string) => void,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  await mkdir(folder, { recursive: true })
  const lock = await waitForLock(join(folder, '.lock'), tell, signal)
  try {
    return await work()
  } finally {
    lock.release()
  }
}

async function waitForLock(
  file: string,
  tell: (line: string) => void,
  signal: AbortSignal | undefined,
): Promise<FileLock> {
  for (let tries = 0; ; tries += 1) {
    try {
      return lockFile(file, 0)
    } catch (error) {
      if (!isBusy(error)) throw error
    }
    if (tries === 0) tell('waiting for another process that gets the Temporal server')
    await sleep(lookAgainMs, undefined, signal ? { signal } : {})
  }
}
