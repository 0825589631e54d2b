import type { JsonObject } from '../../core/json.ts'
import { RunbookError } from '../../core/run-error.ts'
import type { CallOptions } from '../client/answer.ts'
import type { Connection } from '../client/client-context.ts'
import type { OperationRoute } from '../client/route.ts'
import type { AnyOperation } from '../operations/operation.ts'
import type { RateLease } from './rate-budget.ts'
import { type CallWait, cancelled, joinSignals } from './waits.ts'

/**
 * The right to send one request now: the target lock, a permit of the rate limit, and a slot of the client.
 */
export interface Permit {
  /** The request is going out. False: the permit is over, and the request must not leave. */
  sent(): boolean
  /** The service has counted it. */
  answered(): void
  /** Releases everything; the caller calls it in every case. */
  leave(): void
  /** Whether the time of the permit has passed before the request has left. */
  isOver(): boolean
}

/** Why a request did not leave: its permit was over when the connection was open. */
export const permitOver: RunbookError = new RunbookError('Cancelled', 'the permit is over', { notSent: true })

/** A call gives up after this many permits in a row that were over when their connection was open. */
const mostOver = 10

/**
 * Takes a permit and sends with it. A permit that is over by then, since the call was held up, is left for another one.
 * The caller leaves the one that it gets with the answer. Rejects with `ConnectTimeout` where no connection is ever open
 * in time.
 */
export async function sendWithPermit<Answer>(
  take: () => Permit | Promise<Permit>,
  sendNow: (permit: Permit) => Promise<Answer>,
): Promise<{ readonly permit: Permit; readonly answer: Answer }> {
  for (let over = 0; over < mostOver; over++) {
    const taken = take()
    const permit = taken instanceof Promise ? await taken : taken
    try {
      if (!permit.isOver()) return { permit, answer: await sendNow(permit) }
      permit.leave()
    } catch (error) {
      permit.leave()
      if (error !== permitOver) throw error
    }
  }
  const message = `${mostOver} permits were over before their connection was open`
  throw new RunbookError('ConnectTimeout', message, { notSent: true })
}

/** A permit without a wait, as for most calls; undefined: the call must wait. */
export function tryPermit(
  { budget, slots }: Connection,
  { operation, rateKey, windows }: OperationRoute,
  { signal, signalBeforeSending }: CallOptions,
): Permit | undefined {
  if (operation.serialize || signal?.aborted || signalBeforeSending?.aborted) return undefined
  const releaseSlot = budget.acquireNow && slots.takeNow()
  const lease = releaseSlot && budget.acquireNow?.(rateKey, windows)
  if (lease) return createPermit(lease, releaseSlot, undefined)
  releaseSlot?.()
  return undefined
}

/**
 * Waits until a request may leave. The order matters: a call that waits for a target holds no permit of the rate limit,
 * and one that waits for a permit holds no slot, which others could use.
 */
export async function acquirePermit(
  connection: Connection,
  route: OperationRoute,
  input: JsonObject,
  options: CallOptions,
): Promise<Permit> {
  if (!options.signal && !options.signalBeforeSending) return takePermit(connection, route, input, options)
  const { signal, release } = joinSignals(options.signal, options.signalBeforeSending)
  let hasWaited = false
  const onWait = (wait: CallWait): void => {
    hasWaited = true
    options.onWait?.(wait)
  }
  try {
    if (signal?.aborted) throw cancelled(signal, false)
    return await takePermit(connection, route, input, { ...options, signal, onWait })
  } finally {
    release()
    if (hasWaited) options.onWaitOver?.()
  }
}

async function takePermit(
  connection: Connection,
  { operation, rateKey, windows }: OperationRoute,
  input: JsonObject,
  options: CallOptions,
): Promise<Permit> {
  const { signal, priority, onWait } = options
  const { budget, slots, settings } = connection
  // Most operations lock no target, and an await would cost a microtask.
  const freeTarget = operation.serialize && (await lockTarget(connection, operation, input, options))
  try {
    const { maxWaitMs } = settings
    const lease = await budget.acquire(rateKey, windows, { signal, priority, onWait, maxWaitMs })
    try {
      const releaseSlot = await slots.take({ signal, priority })
      return createPermit(lease, releaseSlot, freeTarget)
    } catch (error) {
      lease.cancel()
      throw error
    }
  } catch (error) {
    freeTarget?.()
    throw error
  }
}

/** One right of these parts. */
export function createPermit(lease: RateLease, releaseSlot?: () => void, freeTarget?: () => void): Permit {
  let isSent = false
  let isAnswered = false
  return {
    sent() {
      isSent = lease.sent()
      return isSent
    },
    answered() {
      isAnswered = true
      lease.done()
    },
    isOver: () => !isSent && lease.isOver?.() === true,
    leave() {
      if (!isSent) lease.cancel()
      else if (!isAnswered) lease.done()
      releaseSlot?.()
      freeTarget?.()
    },
  }
}

/** Waits for the target lock of the operation. */
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
