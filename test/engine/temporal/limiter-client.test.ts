import { once } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { RateBudget } from '../../../src/api/index.ts'
import { steadyNow } from '../../../src/api/pacing/index.ts'
import { createLimiterClient } from '../../../src/engine/temporal/limits/limiter-client.ts'
import type { HeardAnswer, LimiterPort } from '../../../src/engine/temporal/limits/limiter-port.ts'
import type { RateRequest } from '../../../src/engine/temporal/limits/messages.ts'
import { createSharedRateBudget } from '../../../src/engine/temporal/limits/shared-rate-budget.ts'

const windows = [{ max: 40, lengthMs: 1000 }]

/** Answers a request of a process; without an answer, the limiter is away. */
type Answering = (request: RateRequest, count: number) => Partial<HeardAnswer> | undefined

interface Shared {
  readonly budget: RateBudget
  readonly asked: readonly RateRequest[]
  close(): Promise<void>
}

function share(
  answering: Answering,
  refuses: (count: number) => Promise<boolean> | false = () => false,
): Shared {
  const asked: RateRequest[] = []
  const port: LimiterPort = {
    async ask(makeRequest, signal) {
      const askedMs = steadyNow()
      const request = makeRequest()
      asked.push(request)
      const { length } = asked
      if (await refuses(length)) throw new Error(`refused ${length}`)
      const answer = answering(request, length)
      await turn()
      if (answer) return { askedMs, reserved: [], pausedForMs: 0, ...answer }
      await once(signal, 'abort')
      throw new Error('closed')
    },
  }
  const limiter = createLimiterClient(port)
  onTestFinished(() => limiter.close())
  return { budget: createSharedRateBudget(() => limiter), asked, close: () => limiter.close() }
}

/** As many calls as are wanted, all at once. */
const allNow: Answering = ({ want }, count) => ({
  reserved: Array.from({ length: want }, (_, index) => ({ slot: count * 100 + index, inMs: 0 })),
})

/** One call a minute later, and then none. */
const oneLater: Answering = (_, count) => ({ reserved: count === 1 ? [{ slot: 7, inMs: 60_000 }] : [] })

const unusedOf = (asked: readonly RateRequest[]) => asked.flatMap(({ unused }) => unused)

describe('the calls of a process', () => {
  it('that wait are reserved together, and those that come meanwhile with the next request', async () => {
    const { budget, asked } = share(allNow)
    const call = () => budget.acquire('key', windows)
    const first = Promise.all([call(), call(), call()])
    await expect.poll(() => asked.length).toBe(1)
    await Promise.all([first, call(), call()])
    expect(asked.map(({ want }) => want)).toEqual([3, 2])
  })

  it('go by priority', async () => {
    const { budget } = share(allNow)
    const order: number[] = []
    const call = async (priority: number): Promise<void> => {
      await budget.acquire('key', windows, { priority })
      order.push(priority)
    }
    await Promise.all([0, 1, 3, 2].map(call))
    expect(order).toEqual([0, 3, 2, 1])
  })

  it('give their reservation back where they were not sent, and keep it where they were', async () => {
    const { budget, asked } = share(allNow)
    const [sent, unsent] = [await budget.acquire('key', windows), await budget.acquire('key', windows)]
    sent.sent()
    sent.cancel()
    unsent.cancel()
    await expect.poll(() => unusedOf(asked)).toEqual([200])
  })

  it('give back what is reserved for calls that wait no more', async () => {
    const { budget, asked } = share(oneLater)
    const cancelling = new AbortController()
    const call = budget.acquire('key', windows, { signal: cancelling.signal })
    await expect.poll(() => asked.length).toBe(1)
    cancelling.abort()
    await expect(call).rejects.toMatchObject({ code: 'Cancelled' })
    await expect.poll(() => unusedOf(asked)).toEqual([7])
  })

  it('give back all that is reserved when the process closes', async () => {
    const { budget, asked, close } = share(oneLater)
    const call = budget.acquire('key', windows)
    await expect.poll(() => asked.length).toBe(1)
    const closed = close()
    await expect(call).rejects.toMatchObject({ code: 'Cancelled' })
    await closed
    expect(unusedOf(asked)).toEqual([7])
  })

  it('do not use what was answered too late, and are reserved for longer after the second time', async () => {
    const lateMs = 400
    const { budget, asked } = share((request, count) => ({
      ...allNow(request, count),
      askedMs: steadyNow() - (count <= 2 ? lateMs : 0),
    }))
    await budget.acquire('key', windows)
    const [first, second, third] = asked.map(({ forMs }) => forMs)
    expect([first, second]).toEqual([150, 150])
    expect(third).toBeGreaterThan(lateMs)
    expect(unusedOf(asked)).toEqual([100, 200])
  })

  it('are not sent with a reservation that is over, and give it back', async () => {
    const { budget, asked } = share((request, count) => ({
      ...allNow(request, count),
      askedMs: steadyNow() - (count === 1 ? 140 : 0),
    }))
    const lease = await budget.acquire('key', windows)
    await expect.poll(() => lease.isOver?.()).toBe(true)
    expect(lease.sent()).toBe(false)
    lease.cancel()
    const next = await budget.acquire('key', windows)
    expect(next.sent()).toBe(true)
    expect(unusedOf(asked)).toEqual([100])
    expect(asked[1]?.forMs).toBeGreaterThanOrEqual(250)
  })

  it('do not wait for a reservation that was over before its answer came', async () => {
    const { budget, asked } = share((request, count) => ({
      reserved: [{ slot: count, inMs: count <= 2 ? 60_000 : 0 }],
      askedMs: steadyNow() - (count <= 2 ? request.forMs + 100 : 0),
    }))
    await expect(budget.acquire('key', windows, { maxWaitMs: 1000 })).resolves.toBeDefined()
    expect(unusedOf(asked)).toEqual([1, 2])
  })

  it('are reserved for longer where they were sent late', async () => {
    const { budget, asked } = share((request, count) => ({
      ...allNow(request, count),
      askedMs: steadyNow() - 140,
    }))
    const lease = await budget.acquire('key', windows)
    lease.sent()
    await budget.acquire('key', windows)
    expect(asked[1]?.forMs).toBeGreaterThanOrEqual(240)
  })

  it('report a wait that is no longer than 200 ms to nobody, and then what they wait for', async () => {
    const waits: object[] = []
    const onWait = (wait: object): void => void waits.push(wait)
    const { budget } = share(allNow)
    await Promise.all([0, 1, 2].map(() => budget.acquire('key', windows, { onWait })))
    expect(waits).toEqual([])
    const cancelling = new AbortController()
    const away = share(() => undefined).budget
    const { signal } = cancelling
    const calls = [0, 1].map(() => away.acquire('key', windows, { signal, onWait }).catch(() => {}))
    await expect.poll(() => waits.length).toBe(2)
    expect(waits).toMatchObject([{ reason: 'budget' }, { reason: 'budget' }])
    cancelling.abort()
    await Promise.all(calls)
  })
})

describe('a request that is refused', () => {
  it('fails all calls that wait, also where the refusal comes late', async () => {
    let wasReported = (): void => {}
    const reported = new Promise<void>((resolve) => {
      wasReported = resolve
    })
    const { budget, asked } = share(allNow, () => reported.then(() => true))
    const calls = Array.from({ length: 3 }, () => budget.acquire('key', windows, { onWait: wasReported }))
    const ends = await Promise.allSettled(calls)
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(asked).toHaveLength(1)
  })

  it('loses no pause and no reservation that it was to give back', async () => {
    const { budget, asked } = share(allNow, async (count) => count === 2)
    const lease = await budget.acquire('key', windows)
    lease.cancel()
    budget.pause('key', steadyNow() + 60_000)
    await expect.poll(() => asked.length).toBeGreaterThan(2)
    expect(asked[2]).toMatchObject({ unused: [100], pauseMs: expect.any(Number) })
  })
})

describe('a pause', () => {
  it('is reported to the limiter, and no call of this process is sent before its end', async () => {
    const { budget, asked } = share(allNow)
    budget.pause('key', steadyNow() + 60_000)
    const call = budget.acquire('key', windows, { maxWaitMs: 1000 })
    await expect(call).rejects.toMatchObject({ code: 'RequestTooFrequently' })
    await expect.poll(() => asked.length).toBe(1)
    expect(asked[0]?.pauseMs).toBeGreaterThan(50_000)
  })

  it('that another process has reported stops a call whose reservation was made long before', async () => {
    const { budget, asked } = share((_, count) =>
      count === 1 ? { reserved: [{ slot: 7, inMs: 2100 }] } : { pausedForMs: 60_000 },
    )
    const reasons: string[] = []
    const cancelling = new AbortController()
    const { signal } = cancelling
    const call = budget.acquire('key', windows, { signal, onWait: ({ reason }) => reasons.push(reason) })
    await expect.poll(() => reasons, { timeout: 10_000 }).toEqual(['budget', 'throttle'])
    await expect.poll(() => unusedOf(asked)).toEqual([7])
    expect(asked[1]?.want).toBe(0)
    cancelling.abort()
    await expect(call).rejects.toMatchObject({ code: 'Cancelled' })
  })
})
