import { once, setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '@temporalio/activity'
import { createTargetLocks, type TargetLockOptions, type TargetLocks } from '../../../api/index.ts'
import { cancelled, steadyNow } from '../../../api/pacing/index.ts'
import { isTransient, type OutageWarning } from './limiter-port.ts'
import type { TargetRequest, TargetUse } from './messages.ts'

/** The targets that this process shares with others. */
export interface SharedTargetLocks extends TargetLocks {
  /** Runs {@link holdTargetActivity}: lasts until the process has released the target, or the server has ended the activity. */
  hold(use: TargetUse, life: Pick<Context, 'heartbeat' | 'cancellationSignal'>): Promise<void>
  close(): void
}

/** How a process asks for targets. */
export interface SharedTargetLocksOptions {
  /** The task queue that only the process polls. */
  readonly process: string
  /** Sends a request to the lock of a target. */
  readonly send: (target: string, request: TargetRequest) => Promise<void>
  /** The error of a call whose request the server has refused. */
  readonly refusal: (thrown: unknown) => Error
  readonly outage: OutageWarning
}

/** A waiting process repeats its request: a lock that was terminated, or has passed the process over, learns of it again. */
const askAgainMs = 2500
/** The shortest pause between the requests of a process that waits for many targets. */
const betweenAsksMs = 250
/** A request that failed is repeated after this time. */
const retryMs = 500
/** A shorter wait is not reported. */
const unreportedMs = 200
const heartbeatMs = 1000

interface Use {
  readonly number: number
  /** How often the lock has granted it. */
  grants: number
  /** Aborted when the lock has granted it first, and when the process needs it no more. */
  readonly granted: AbortController
  readonly over: AbortController
}

/**
 * The target locks of all processes that use the same lock workflows. Calls of one process wait for each other in the
 * process. The first requests the target, and the next one requests it again: processes use it one after another.
 */
export function createSharedTargetLocks({
  process,
  send,
  refusal,
  outage,
}: SharedTargetLocksOptions): SharedTargetLocks {
  const own = createTargetLocks()
  const uses = new Map<string, Use>()
  const closing = new AbortController()
  // Many calls wait with one signal, and Node would warn of a leak from the eleventh on.
  setMaxListeners(0, closing.signal)
  let count = 0

  /** Asks until `isDone`. Rejects when the server refuses the request. */
  const ask = async (
    target: string,
    order: Omit<TargetRequest, 'process' | 'againInMs'>,
    isDone: () => boolean,
  ): Promise<void> => {
    let isAgain = false
    while (!isDone() && !closing.signal.aborted) {
      const againInMs = Math.max(askAgainMs, uses.size * betweenAsksMs)
      const request: TargetRequest = { process, ...order, againInMs, ...(isAgain ? { isAgain } : {}) }
      const sentMs = steadyNow()
      const pauseMs = await send(target, request).then(
        () => {
          outage.answered()
          return againInMs
        },
        (thrown: unknown) => {
          if (!isTransient(thrown)) throw refusal(thrown)
          outage.failed(thrown, sentMs)
          return retryMs
        },
      )
      isAgain = true
      await sleep(pauseMs, undefined, { ref: false, signal: closing.signal }).catch(() => {})
    }
  }
  const waitForUse = async (target: string, { signal, onWait }: TargetLockOptions): Promise<Use> => {
    const use: Use = {
      number: ++count,
      grants: 0,
      granted: new AbortController(),
      over: new AbortController(),
    }
    uses.set(target, use)
    const report = setTimeout(() => onWait?.(), unreportedMs)
    const given = new Promise<void>((resolve, reject) => {
      const giveUp = (): void => reject(cancelled(signal, false))
      if (signal?.aborted) return giveUp()
      signal?.addEventListener('abort', giveUp, { once: true })
      use.granted.signal.addEventListener('abort', () => {
        signal?.removeEventListener('abort', giveUp)
        resolve()
      })
      const isDone = (): boolean => use.grants > 0 || use.over.signal.aborted
      ask(target, { use: use.number }, isDone).catch((thrown: unknown) => {
        signal?.removeEventListener('abort', giveUp)
        reject(thrown)
      })
    })
    try {
      await given
      return use
    } catch (error) {
      end(target, use)
      throw error
    } finally {
      clearTimeout(report)
    }
  }
  const end = (target: string, use: Use): void => {
    uses.delete(target)
    use.over.abort()
  }
  return {
    async acquire(target, options = {}) {
      const freeOwn = await own.acquire(target, options)
      try {
        const use = await waitForUse(target, options)
        return () => {
          end(target, use)
          freeOwn()
        }
      } catch (error) {
        freeOwn()
        throw error
      }
    },
    async hold({ target, use: number }, { heartbeat, cancellationSignal }) {
      const use = uses.get(target)
      // Its caller has stopped waiting.
      if (use?.number !== number) return
      const { signal: over } = use.over
      const grant = ++use.grants
      use.granted.abort()
      const pulse = setInterval(() => heartbeat(), heartbeatMs)
      await Promise.race([once(over, 'abort'), once(cancellationSignal, 'abort')])
      clearInterval(pulse)
      if (over.aborted) return
      // The lock was terminated, or has missed heartbeats of this process: it has to learn that the target is in use.
      // A refusal fails the next call of the target: this one already has what it needs.
      void ask(target, { use: number, isHeld: true }, () => over.aborted || use.grants > grant).catch(
        () => {},
      )
    },
    close: () => closing.abort(),
  }
}
