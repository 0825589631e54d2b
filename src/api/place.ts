import type { JsonObject } from '../core/json.ts'
import type { CallOptions } from './answer.ts'
import { cancelled } from './cancelled.ts'
import type { Connection } from './connection.ts'
import { joinSignals } from './join-signals.ts'
import type { AnyOperation } from './operations/operation.ts'
import type { RateLease } from './rate-budget.ts'
import type { Route } from './route.ts'
import type { CallWait } from './waits.ts'

/** The right to send one request now: the target is free, the rate limit has room, and so has the client. */
export interface Place {
  /** The request is going out. */
  sent(): void
  /** The service has counted it. */
  answered(): void
  /** Everything is over; to be called whatever happened. */
  leave(): void
}

/** The right to send now, where nobody has to wait for anything: so it is with most calls. */
export function takeFreePlace(
  { budget, turns }: Connection,
  { operation, rateKey, windows }: Route,
  { signal, signalBeforeSending }: CallOptions,
): Place | undefined {
  if (operation.serialize || signal?.aborted || signalBeforeSending?.aborted) return undefined
  const endTurn = budget.acquireNow && turns.takeNow()
  const lease = endTurn && budget.acquireNow?.(rateKey, windows)
  if (lease) return createPlace(lease, endTurn, undefined)
  endTurn?.()
  return undefined
}

/**
 * Waits until a request may go out. The order matters: whoever waits for a target holds no place in the windows, and
 * a place that waits for its turn stays open in the windows, since it counts from the moment of sending.
 */
export async function takePlace(
  connection: Connection,
  route: Route,
  input: JsonObject,
  options: CallOptions,
): Promise<Place> {
  if (!options.signal && !options.signalBeforeSending) return waitForPlace(connection, route, input, options)
  const { signal, release } = joinSignals(options.signal, options.signalBeforeSending)
  let hasWaited = false
  const onWait = (wait: CallWait): void => {
    hasWaited = true
    options.onWait?.(wait)
  }
  try {
    if (signal?.aborted) throw cancelled(signal, false)
    return await waitForPlace(connection, route, input, { ...options, signal, onWait })
  } finally {
    release()
    if (hasWaited) options.onWaitOver?.()
  }
}

async function waitForPlace(
  connection: Connection,
  { operation, rateKey, windows }: Route,
  input: JsonObject,
  options: CallOptions,
): Promise<Place> {
  const { signal, priority, onWait } = options
  const { budget, turns, settings } = connection
  // Waiting for nothing would take a turn of its own, and most operations lock no target.
  const freeTarget = operation.serialize && (await lockTarget(connection, operation, input, options))
  try {
    const { maxWaitMs } = settings
    const lease = await budget.acquire(rateKey, windows, { signal, priority, onWait, maxWaitMs })
    try {
      const endTurn = await turns.take({ signal, priority })
      return createPlace(lease, endTurn, freeTarget)
    } catch (error) {
      lease.cancel()
      throw error
    }
  } catch (error) {
    freeTarget?.()
    throw error
  }
}

function createPlace(lease: RateLease, endTurn: () => void, freeTarget: (() => void) | undefined): Place {
  let isSent = false
  let isAnswered = false
  return {
    sent() {
      isSent = true
      lease.sent()
    },
    answered() {
      isAnswered = true
      lease.done()
    },
    leave() {
      if (!isSent) lease.cancel()
      else if (!isAnswered) lease.done()
      endTurn()
      freeTarget?.()
    },
  }
}

/** Waits for the lock that the operation wants. */
async function lockTarget(
  { targetLocks, settings }: Connection,
  { name, serialize = [] }: AnyOperation,
  input: JsonObject,
  { signal, priority, onWait }: CallOptions,
): Promise<(() => void) | undefined> {
  const known: Readonly<Record<string, unknown>> = { 'connection.account': settings.account }
  const values = serialize.map((place) => known[place] ?? input[place.replace(/^input\./, '')] ?? null)
  const key = JSON.stringify([name, ...values])
  return targetLocks.acquire(key, { signal, priority, onWait: () => onWait?.({ reason: 'target' }) })
}
