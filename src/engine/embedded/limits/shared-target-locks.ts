import { createTargetLocks, type TargetLocks } from '../../../api/index.ts'
import { cancelled } from '../../../api/pacing/index.ts'
import type { Ledger } from './ledger.ts'

/** A call of this process that waits for a target of another process. */
interface Waiter {
  isOver: boolean
  readonly grant: () => void
  readonly fail: (error: unknown) => void
}

/** How often the next process in line checks for a free target. */
const pollMs = 20

/**
 * The target locks of all processes of one ledger. Within the process, calls wait for each other as they do without a
 * ledger. The first of them waits in line with the other processes. The targets of a dead process are released.
 */
export function createSharedTargetLocks(ledger: Ledger): TargetLocks {
  const own = createTargetLocks()
  const waiters = new Map<string, Waiter>()
  let isPolling = false

  const free = (key: string): void =>
    ledger.note(({ targets, process }) => targets.free(key, process), 'soon')
  const pollAgain = (): void => {
    if (isPolling) return
    isPolling = true
    setTimeout(() => void poll(), pollMs)
  }
  const poll = async (): Promise<void> => {
    isPolling = false
    if (waiters.size === 0) return
    try {
      const taken = await ledger.ask((page) => {
        ledger.releaseDead(page)
        return page.targets.takeFree(page.now, page.process)
      })
      for (const key of taken) {
        const waiter = waiters.get(key)
        if (waiter) waiter.grant()
        else free(key)
      }
    } catch (error) {
      for (const waiter of waiters.values()) waiter.fail(error)
    }
    if (waiters.size > 0) pollAgain()
  }

  const waitInLine = (key: string, signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const stopWaiting = ledger.wait()
      const end = (): boolean => {
        if (waiter.isOver) return false
        waiter.isOver = true
        stopWaiting()
        waiters.delete(key)
        signal?.removeEventListener('abort', cancel)
        return true
      }
      const waiter: Waiter = {
        isOver: false,
        grant: () => void (end() && resolve()),
        fail(error) {
          if (!end()) return
          ledger.note(({ targets, process }) => targets.leave(key, process), 'soon')
          reject(error)
        },
      }
      const cancel = (): void => waiter.fail(cancelled(signal, false))
      waiters.set(key, waiter)
      signal?.addEventListener('abort', cancel, { once: true })
      const enter = ledger.ask(
        ({ targets, now, process }) => !waiter.isOver && targets.take(key, now, process, true),
      )
      enter.then((isTaken) => {
        if (isTaken && waiter.isOver) free(key)
        else if (isTaken) waiter.grant()
        else pollAgain()
      }, waiter.fail)
      if (signal?.aborted) cancel()
    })

  return {
    async acquire(key, options = {}) {
      const { signal } = options
      let isReported = false
      const onWait = (): void => {
        if (!isReported) options.onWait?.()
        isReported = true
      }
      const freeOwn = await own.acquire(key, { ...options, onWait })
      try {
        const isTaken = await ledger.ask(({ targets, now, process }) =>
          targets.take(key, now, process, false),
        )
        if (!isTaken) {
          onWait()
          await waitInLine(key, signal)
        } else if (signal?.aborted) {
          free(key)
          throw cancelled(signal, false)
        }
      } catch (error) {
        freeOwn()
        throw error
      }
      return () => {
        free(key)
        freeOwn()
      }
    },
  }
}
