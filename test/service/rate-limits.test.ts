import { type Client, createRateBudget, type RateBudget, type RateWindow } from 'opsbook/api'
import { describe, expect, it } from 'vitest'
import { failureOf } from './failure-of.ts'
import { methodOf, type OperationId, openService, type Received, validBodies } from './open-service.ts'
import { proves } from './statements.ts'

const service = await openService({ limits: true })

type Limit = readonly [
  id: `§${string}`,
  operation: OperationId,
  per: 'account' | 'app_key',
  second: number,
  minute: number,
]

/** The table of the document. */
const limits: readonly Limit[] = [
  ['§limit.E1', 'E1', 'app_key', 20, 300],
  ['§limit.E2', 'E2', 'account', 50, 1000],
  ['§limit.E3', 'E3', 'account', 50, 1000],
  ['§limit.E4', 'E4', 'account', 10, 600],
  ['§limit.E5', 'E5', 'account', 10, 60],
  ['§limit.E6', 'E6', 'app_key', 20, 200],
  ['§limit.E7', 'E7', 'account', 20, 300],
  ['§limit.E8', 'E8', 'account', 50, 1000],
  ['§limit.E9', 'E9', 'account', 50, 1000],
]
const perDay = 1000
const named = limits.map((limit) => [proves(limit[0]), ...limit] as const)

/** Bodies that owner and member may both send; calls of E4 go to hosts of their own, since one host takes one at a time. */
const bodyOf = (id: OperationId, index: number): unknown => {
  if (id === 'E1') return { ...validBodies.E1, team_id: 1 }
  if (id === 'E4') return { ...validBodies.E4, target_locator: `node-${index + 1}` }
  return validBodies[id]
}

async function callOnce(client: Client, id: OperationId, index = 0): Promise<void> {
  if (id !== 'E6') await client.attempt(methodOf(id), bodyOf(id, index) as never)
  else for await (const line of client.streamSession(validBodies.E6)) if (line.type === 'error') break
}

/** Calls at once, whatever becomes of them. */
const callMany = (client: Client, id: OperationId, count: number): Promise<unknown> =>
  Promise.allSettled(Array.from({ length: count }, (_, index) => callOnce(client, id, index)))

const advance = (ms: number): Promise<unknown> => service.control('clock', { advance_ms: ms })
const stopClock = (): Promise<unknown> => service.control('clock', { now: '2026-03-01T00:00:00Z' })

function countCodes(received: readonly Received[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { status, code } of received) {
    counts[`${status} ${code}`] = (counts[`${status} ${code}`] ?? 0) + 1
  }
  return counts
}

/** What a burst through a client without limits of its own is answered. */
const burst = async (id: OperationId, count: number, appKey = 'sandbox-owner'): Promise<unknown> =>
  countCodes(await service.receivedDuring(() => callMany(service.client({ appKey }), id, count)))

const ok = (count: number): object => ({ '200 OK': count })
const full = (count: number): object => ({ '429 RequestTooFrequently': count })

describe('a second', () => {
  it.each(named)('%s', async (_title, _id, operation, per, second) => {
    await stopClock()
    expect(await burst(operation, second + 3)).toEqual({ ...ok(second), ...full(3) })
    expect(await burst(operation, 1, 'sandbox-member')).toEqual(per === 'account' ? full(1) : ok(1))
    expect(await burst(operation, 1, 'sandbox-other')).not.toEqual(full(1))
    await advance(999)
    expect(await burst(operation, 1)).toEqual(full(1))
    await advance(1)
    expect(await burst(operation, 1)).toEqual(ok(1))
  })
})

// Thousands of calls: more than a busy machine makes in the time of a usual test.
describe('a longer window', { timeout: 60_000 }, () => {
  /**
   * Fills a window by a client that keeps it and nothing else, the clock of the sandbox moving on between bursts. The
   * next call is held back by that client, and answered 429 to another one until the first burst leaves the window.
   */
  async function expectWindow(
    id: OperationId,
    { max, lengthMs }: RateWindow,
    limit: object,
    { count, everyMs }: { readonly count: number; readonly everyMs: number },
  ): Promise<void> {
    await stopClock()
    const keeping = service.client({ limits: { [methodOf(id)]: limit } })
    let elapsedMs = 0
    const arrived = await service.receivedDuring(async () => {
      await callMany(keeping, id, count)
      for (let sent = count; sent < max; sent += count) {
        await advance(everyMs)
        elapsedMs += everyMs
        await callMany(keeping, id, count)
      }
      const failure = await failureOf(callOnce(keeping, id))
      expect(failure).toMatchObject({ code: 'RequestTooFrequently', notSent: true })
    })
    expect(countCodes(arrived)).toEqual(ok(max))
    await advance(lengthMs - elapsedMs - 1)
    expect(await burst(id, 1)).toEqual(full(1))
    await advance(1)
    expect(await burst(id, 1)).toEqual(ok(1))
  }

  it.each(named)('%s', (_title, _id, operation, _per, second, perMinute) =>
    expectWindow(
      operation,
      { max: perMinute, lengthMs: 60_000 },
      { perMinute },
      { count: second, everyMs: 1000 },
    ),
  )

  it(proves('§limit.E6-day'), () =>
    expectWindow('E6', { max: perDay, lengthMs: 86_400_000 }, { perDay }, { count: 20, everyMs: 60_000 }),
  )
})

describe('a call above a limit', () => {
  it(proves('§limit.refusal'), async () => {
    await stopClock()
    await callMany(service.client(), 'E5', 10)
    const [arrived] = await service.receivedDuring(async () => {
      const failure = await failureOf(callOnce(service.client(), 'E5'))
      expect(failure).toMatchObject({ code: 'RequestTooFrequently', notSent: false, retryAfterMs: 1000 })
    })
    expect(arrived).toMatchObject({ status: 429, code: 'RequestTooFrequently', executed: false })
  })
})

describe('a client that keeps the limits', () => {
  it(`${proves('§limit.client')} by every window of the document, shared as it says`, async () => {
    const asked: { key: string; windows: readonly RateWindow[] }[] = []
    const real = createRateBudget()
    const budget: RateBudget = {
      ...real,
      acquire(key, windows, options) {
        asked.push({ key, windows })
        return real.acquire(key, windows, options)
      },
      acquireNow(key, windows) {
        const lease = real.acquireNow?.(key, windows)
        if (lease) asked.push({ key, windows })
        return lease
      },
    }
    const shared = { account: 'main', budget, limits: 'document' } as const
    const [owner, member] = ['sandbox-owner', 'sandbox-member'].map((appKey) =>
      service.client({ ...shared, appKey }),
    )
    for (const [, id, per, second, minute] of limits) {
      asked.length = 0
      for (const client of [owner, member]) if (client) await callOnce(client, id)
      const windows = [
        { max: second, lengthMs: 1000 },
        { max: minute, lengthMs: 60_000 },
        ...(id === 'E6' ? [{ max: perDay, lengthMs: 86_400_000 }] : []),
      ]
      expect(asked.map((one) => one.windows)).toEqual([windows, windows])
      expect(new Set(asked.map(({ key }) => key)).size).toBe(per === 'account' ? 1 : 2)
    }
  })
})
