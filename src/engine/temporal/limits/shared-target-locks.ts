import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '@temporalio/activity'
import { createTargetLocks, type TargetLockOptions, type TargetLocks } from '../../../api/index.ts'
import { cancelled, steadyNow } from '../../../api/pacing/index.ts'
import { isTransient, type OutageWarning } from './limiter-port.ts'
import type { TargetRequest, TargetTurn } from './messages.ts'

/** The targets that this process shares with others. */
export interface SharedTargetLocks extends TargetLocks {
  /** Runs {@link holdTargetActivity}: lasts until the process has released the target, or the server has ended the activity. */
  hold(turn: TargetTurn, life: Pick<Context, 'heartbeat' | 'cancellationSignal'>): Promise<void>
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

interface Turn {
  readonly number: number
  isGranted: boolean
  isOver: boolean
  readonly granted: Promise<void>
  readonly over: Promise<void>
  grant(): void
  end(): void
}

/**
 * The target locks of all processes that use the same lock workflows. Calls of one process wait for each other in the
 * process. The first of them requests the target, and the next one requests it again, so processes take turns.
 */
export function createSharedTargetLocks({
  process,
  send,
  refusal,
  outage,
}: SharedTargetLocksOptions): SharedTargetLocks {
  const own = createTargetLocks()
  const turns = new Map<string, Turn>()
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
      const againInMs = Math.max(askAgainMs, turns.size * betweenAsksMs)
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
  const waitForTurn = async (target: string, { signal, onWait }: TargetLockOptions): Promise<Turn> => {
    const turn = createTurn(++count)
    turns.set(target, turn)
    const report = setTimeout(() => onWait?.(), unreportedMs)
    const given = new Promise<void>((resolve, reject) => {
      const giveUp = (): void => reject(cancelled(signal, false))
      if (signal?.aborted) return giveUp()
      signal?.addEventListener('abort', giveUp, { once: true })
      void turn.granted.then(() => {
        signal?.removeEventListener('abort', giveUp)
        resolve()
      })
      ask(target, { turn: turn.number }, () => turn.isGranted || turn.isOver).catch((thrown: unknown) => {
        signal?.removeEventListener('abort', giveUp)
        reject(thrown)
      })
    })
    try {
      await given
      return turn
    } catch (error) {
      end(target, turn)
      throw error
    } finally {
      clearTimeout(report)
    }
  }
  const end = (target: string, turn: Turn): void => {
    turns.delete(target)
    turn.end()
  }
  return {
    async acquire(target, options = {}) {
      const freeOwn = await own.acquire(target, options)
      try {
        const turn = await waitForTurn(target, options)
        return () => {
          end(target, turn)
          freeOwn()
        }
      } catch (error) {
        freeOwn()
        throw error
      }
    },
    async hold({ target, turn: number }, { heartbeat, cancellationSignal }) {
      const turn = turns.get(target)
      // Its caller has stopped waiting.
      if (turn?.number !== number) return
      turn.grant()
      const pulse = setInterval(() => heartbeat(), heartbeatMs)
      const lost = new Promise<void>((resolve) => {
        cancellationSignal.addEventListener('abort', () => resolve(), { once: true })
      })
      await Promise.race([turn.over, lost])
      clearInterval(pulse)
      if (turn.isOver) return
      // The lock was terminated, or has missed heartbeats of this process: it has to learn that the target is in use.
      let isHeldAgain = false
      turn.grant = () => {
        isHeldAgain = true
      }
      // A refusal fails the next call of the target: this one already has what it needs.
      void ask(target, { turn: number, isHeld: true }, () => turn.isOver || isHeldAgain).catch(() => {})
    },
    close: () => closing.abort(),
  }
}

function createTurn(number: number): Turn {
  let resolveGranted = (): void => {}
  let resolveOver = (): void => {}
  const turn: Turn = {
    number,
    isGranted: false,
    isOver: false,
    granted: new Promise((resolve) => {
      resolveGranted = resolve
    }),
    over: new Promise((resolve) => {
      resolveOver = resolve
    }),
    grant() {
      turn.isGranted = true
      resolveGranted()
    },
    end() {
      turn.isOver = true
      resolveOver()
    },
  }
  return turn
}
