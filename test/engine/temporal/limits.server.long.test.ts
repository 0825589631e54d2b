import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { windowsOf } from '../../../src/core/pacing/index.ts'
import { openTemporalLimits, type TemporalLimits } from '../../../src/engine/temporal/index.ts'
import { startStandIn } from '../../api/stand-in.ts'
import { mostIn } from '../../core/most-in.ts'
import { openStage } from './support/open-stage.ts'
import { openWay } from './support/open-way.ts'
import { stageOfFile } from './support/stage-of-file.ts'

const stage = stageOfFile()

/** What a process of its own would have. */
async function join(address: string = stage.settings.address): Promise<TemporalLimits> {
  const limits = await openTemporalLimits({ ...stage.settings, address })
  onTestFinished(() => limits.close())
  return limits
}

const windows = [
  { max: 4, lengthMs: 300 },
  { max: 20, lengthMs: 2000 },
]

describe('the rate budget of several processes', () => {
  it('holds every window exactly, and loses no permit', async () => {
    const service = await startStandIn((_, response) => void response.end())
    const call = async ({ budget }: TemporalLimits): Promise<void> => {
      const lease = await budget.acquire('exact', windows)
      lease.sent()
      await fetch(service.baseUrl)
      lease.done()
    }
    const processes = await Promise.all([join(), join(), join()])
    const calls = processes.flatMap((limits) => Array.from({ length: 20 }, () => call(limits)))
    await Promise.all(calls)
    const counted = service.received.map(({ arrivedAt }) => arrivedAt)
    expect(counted).toHaveLength(60)
    for (const { max, lengthMs } of windows) expect(mostIn(counted, lengthMs)).toBeLessThanOrEqual(max)
  })

  it('counts a call of a dead process as sent', async () => {
    const one = [{ max: 1, lengthMs: 200 }]
    const dead = await join()
    const lost = await dead.budget.acquire('dead', one)
    lost.sent()
    const lease = await (await join()).budget.acquire('dead', one)
    lease.cancel()
  }, 30_000)

  it.each([4, 12, 30])(
    'of which there are %i is never over, and all of them have their part',
    async (count) => {
      const tenth = [{ max: 10, lengthMs: 1000 }]
      const sentMs: number[] = []
      const turns = 3
      const callInTurn = async ({ budget }: TemporalLimits): Promise<void> => {
        for (let made = 0; made < turns; made++) {
          const lease = await budget.acquire(`crowd-${count}`, tenth)
          lease.sent()
          sentMs.push(performance.now())
          lease.done()
          await turn()
        }
      }
      const processes = await Promise.all(Array.from({ length: count }, () => join()))
      await Promise.all(processes.map(callInTurn))
      expect(sentMs).toHaveLength(count * turns)
      expect(mostIn(sentMs, 1000)).toBeLessThanOrEqual(10)
    },
    120_000,
  )

  it('is known to the limiter that follows one that was terminated', async () => {
    const day = [{ max: 2, lengthMs: 86_400_000 }]
    const [one, other] = [await join(), await join()]
    const limiter = stage.client.workflow.getHandle(`opsbook-limits/${stage.taskQueue}/terminated`)
    const options = { maxWaitMs: 1000 }
    const first = await one.budget.acquire('terminated', day, options)
    first.sent()
    await limiter.terminate()
    // One knows the limiter that has ended, the other knows none.
    const second = await one.budget.acquire('terminated', day, options)
    second.sent()
    await limiter.terminate()
    const expected = { code: 'RequestTooFrequently' }
    await expect(other.budget.acquire('terminated', day, options)).rejects.toMatchObject(expected)
    await expect(one.budget.acquire('terminated', day, options)).rejects.toMatchObject(expected)
  })

  it('waits while the server is away, and is there again with the server', async () => {
    const way = await openWay(stage.settings.address)
    const { budget } = await join(way.address)
    const lease = await budget.acquire('outage', windows)
    lease.sent()
    way.close(true)
    const reasons: string[] = []
    const call = budget.acquire('outage', windows, { onWait: ({ reason }) => reasons.push(reason) })
    await expect.poll(() => reasons[0]).toBe('budget')
    way.close(false)
    const next = await call
    next.sent()
  }, 60_000)

  it('is free again where a call was cancelled before it was sent', async () => {
    const day = [{ max: 1, lengthMs: 86_400_000 }]
    const [one, other] = [await join(), await join()]
    const lease = await one.budget.acquire('cancelled', day)
    lease.cancel()
    const call = async () => (await other.budget.acquire('cancelled', day, { maxWaitMs: 1000 })).sent()
    await expect
      .poll(() =>
        call().then(
          () => 'sent',
          () => 'not sent',
        ),
      )
      .toBe('sent')
  })

  it('pauses all processes after RequestTooFrequently', async () => {
    const [one, other] = [await join(), await join()]
    const wide = [{ max: 1000, lengthMs: 1000 }]
    one.budget.pause('paused', Date.now() + 60_000)
    const heard: string[] = []
    const stop = new AbortController()
    const waiting = async (): Promise<void> => {
      for (;;) {
        const lease = await other.budget.acquire('paused', wide, {
          signal: stop.signal,
          onWait({ reason }) {
            heard.push(reason)
            if (reason === 'throttle') stop.abort()
          },
        })
        lease.cancel()
        await turn()
      }
    }
    await expect(waiting()).rejects.toMatchObject({ code: 'Cancelled' })
    expect(heard.at(-1)).toBe('throttle')
  })
})

it('says how many calls of all processes count, and when the next one can leave; names no account', async () => {
  const { engine } = stage
  const minute = { perMinute: 3 }
  const known = new Map([['monit/look', minute]])
  // A busy server has no answer.
  await expect.poll(() => engine.readRateUse(known)).toEqual({ limits: [] })
  const [one, other] = [await join(), await join()]
  const beforeMs = Date.now()
  for (const { budget } of [one, other, one]) {
    const lease = await budget.acquire('acme/monit/look', windowsOf(minute))
    lease.sent()
    lease.done()
  }
  const windowsNow = [{ per: 'minute', used: 3, limit: 3 }]
  let freeAt = ''
  const readUse = async () => {
    const use = await engine.readRateUse(known)
    freeAt = use?.limits[0]?.free_at ?? ''
    return use
  }
  await expect
    .poll(readUse)
    .toEqual({ limits: [{ action: 'monit/look', windows: windowsNow, free_at: expect.any(String) }] })
  expect(Date.parse(freeAt) - beforeMs).toBeGreaterThan(50_000)
  one.budget.pause('acme/monit/look', performance.timeOrigin + performance.now() + 120_000)
  await expect.poll(() => engine.readRateUse(known)).toMatchObject({ limits: [{ is_throttled: true }] })
})

it('names what has calls whose number is not known, where no worker answers for it', async () => {
  const alone = await openStage(inject('temporalAddress'))
  const { engine, settings } = alone
  const limits = await openTemporalLimits(settings)
  const known = new Map([['monit/look', { perMinute: 3 }]])
  const lease = await limits.budget.acquire('acme/monit/look', windowsOf({ perMinute: 3 }))
  lease.sent()
  lease.done()
  await expect.poll(() => engine.readRateUse(known)).toMatchObject({ limits: [{ action: 'monit/look' }] })
  await limits.close()
  await alone.stopWorker()
  await expect
    .poll(() => engine.readRateUse(known))
    .toEqual({ limits: [], unread: [{ action: 'monit/look' }] })
  await alone.close()
})

it('knows the windows of a limiter whose successor was terminated before a worker had it', async () => {
  const alone = await openStage(inject('temporalAddress'))
  const { client, settings, taskQueue } = alone
  const day = [{ max: 1, lengthMs: 86_400_000 }]
  const options = { maxWaitMs: 1000 }
  const [one, other] = [await openTemporalLimits(settings), await openTemporalLimits(settings)]
  const first = await one.budget.acquire('early', day, options)
  first.sent()
  const limiter = client.workflow.getHandle(`opsbook-limits/${taskQueue}/early`)
  const before = await limiter.describe()
  await limiter.terminate()
  // Its worker starts the next one, and has gone before it takes the first task.
  const count = await limiter.query('opsbookRateCount')
  await alone.stopWorker()
  await client.workflow.start('opsbookRateLimiter', {
    workflowId: limiter.workflowId,
    taskQueue,
    args: [count],
  })
  expect((await limiter.describe()).runId).not.toBe(before.runId)
  await limiter.terminate()
  await alone.startWorker()
  const expected = { code: 'RequestTooFrequently' }
  await expect(other.budget.acquire('early', day, options)).rejects.toMatchObject(expected)
  await Promise.all([one.close(), other.close()])
  await alone.close()
})

describe('the targets of several processes', () => {
  it('take one call at a time', async () => {
    const processes = await Promise.all([join(), join(), join()])
    const inUse = new Map<string, number>()
    let most = 0
    const call = async ({ targetLocks }: TemporalLimits, target: string): Promise<void> => {
      const free = await targetLocks.acquire(target)
      const users = (inUse.get(target) ?? 0) + 1
      inUse.set(target, users)
      most = Math.max(most, users)
      await turn()
      inUse.set(target, (inUse.get(target) ?? 0) - 1)
      free()
    }
    const calls = processes.flatMap((limits) =>
      Array.from({ length: 20 }, (_, index) => call(limits, `target-${index % 4}`)),
    )
    await Promise.all(calls)
    expect(most).toBe(1)
  })

  it('can be waited for no longer', async () => {
    const [one, other] = [await join(), await join()]
    const free = await one.targetLocks.acquire('wanted')
    const signal = AbortSignal.abort()
    await expect(other.targetLocks.acquire('wanted', { signal })).rejects.toMatchObject({ code: 'Cancelled' })
    free()
    const freeAgain = await other.targetLocks.acquire('wanted')
    freeAgain()
  })
})
