import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '@temporalio/activity'
import { cancelled } from '../../../api/cancelled.ts'
import { createTargetLocks, type TargetLockOptions, type TargetLocks } from '../../../api/index.ts'
import type { TargetRequest, TargetTurn } from './messages.ts'

/** The targets that this process shares with others. */
export interface SharedTargetLocks extends TargetLocks {
  /** Carries {@link holdTargetActivity} out: lasts until the turn is over, here or for the server. */
  hold(turn: TargetTurn, life: Pick<Context, 'heartbeat' | 'cancellationSignal'>): Promise<void>
  close(): void
}

/** Sends a request to the lock of a target. */
export type SendTargetRequest = (target: string, request: TargetRequest) => Promise<void>

/** A process that waits asks again this often: a lock that was terminated, or has passed it by, knows again. */
const askAgainMs = 2500
/** A process that waits for many targets asks for one of them after the other, no more often than this. */
const betweenAsksMs = 250
/** A request that the server did not take is repeated after this time. */
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
 * The target locks of all processes that ask the same lock workflows. Within the process calls wait for each other as
 * they do without them; the first of them asks for a turn, and the next one asks anew. So processes take turns.
 */
export function createSharedTargetLocks(send: SendTargetRequest, process: string): SharedTargetLocks {
  const own = createTargetLocks()
  const turns = new Map<string, Turn>()
  const closing = new AbortController()
  // One signal for all that wait is no leak, which Node would warn of from the eleventh on.
  setMaxListeners(0, closing.signal)
  let count = 0

  /** Asks until `isDone`. */
  const ask = async (
    target: string,
    order: Omit<TargetRequest, 'process' | 'againInMs'>,
    isDone: () => boolean,
  ) => {
    let isAgain = false
    while (!isDone() && !closing.signal.aborted) {
      const againInMs = Math.max(askAgainMs, turns.size * betweenAsksMs)
      const request: TargetRequest = { process, ...order, againInMs, ...(isAgain ? { isAgain } : {}) }
      const pauseMs = await send(target, request).then(
        () => againInMs,
        () => retryMs,
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
    })
    if (!signal?.aborted) void ask(target, { turn: turn.number }, () => turn.isGranted || turn.isOver)
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
      // The lock was terminated, or has missed heartbeats of this process: it has to learn who uses the target.
      let isHeldAgain = false
      turn.grant = () => {
        isHeldAgain = true
      }
      void ask(target, { turn: number, isHeld: true }, () => turn.isOver || isHeldAgain)
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
