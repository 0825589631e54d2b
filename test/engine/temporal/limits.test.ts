import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { createTemporalLimits, type TemporalLimits } from '../../../src/engine/temporal/index.ts'
import { createLimiterPort } from '../../../src/engine/temporal/limiter/limiter-port.ts'
import {
  askUpdate,
  type RateAnswer,
  type RateAsk,
  rateLimiterType,
} from '../../../src/engine/temporal/limiter/messages.ts'
import { mostIn } from '../../core/most-in.ts'
import { openStage, type Stage } from './support/open-stage.ts'

let stage: Stage
let client: Client
const open: TemporalLimits[] = []

/** What a process of its own would have. */
function join(): TemporalLimits {
  const limits = createTemporalLimits({ client, taskQueue: stage.taskQueue })
  open.push(limits)
  return limits
}

beforeAll(async () => {
  stage = await openStage(inject('temporalAddress'))
  client = stage.client
})

afterAll(async () => {
  await Promise.all(open.map((limits) => limits.close()))
  await stage.close()
})

const windows = [
  { max: 4, lengthMs: 300 },
  { max: 20, lengthMs: 2000 },
]

describe('the rate budget of several processes', () => {
  it('holds every window exactly, and loses no place', async () => {
    const counted: number[] = []
    const call = async ({ budget }: TemporalLimits): Promise<void> => {
      const lease = await budget.acquire('exact', windows)
      lease.sent()
      await sleep(Math.random() * 10)
      counted.push(performance.now())
      await sleep(Math.random() * 10)
      lease.done()
    }
    const processes = [join(), join(), join()]
    const calls = processes.flatMap((limits) => Array.from({ length: 20 }, () => call(limits)))
    await Promise.all(calls)
    counted.sort((a, b) => a - b)
    expect(counted).toHaveLength(60)
    for (const { max, lengthMs } of windows) expect(mostIn(counted, lengthMs)).toBeLessThanOrEqual(max)
  })

  it('asks nobody for most calls of a process that is alone', async () => {
    const { budget } = join()
    const wide = [{ max: 100_000, lengthMs: 1000 }]
    const calls = 300
    for (let made = 0; made < calls; made++) {
      const lease = await budget.acquire('alone', wide)
      lease.sent()
      lease.done()
      await sleep(1)
    }
    const handle = client.workflow.getHandle(`opsbook-limits/${stage.taskQueue}/alone`)
    const { historyLength } = await handle.describe()
    const eventsOfAQuestion = 5
    expect(historyLength / eventsOfAQuestion).toBeLessThan(calls / 2)
  })

  it('counts a call that nobody hears of any more as sent', async () => {
    const one = [{ max: 1, lengthMs: 200 }]
    const dead = createTemporalLimits({ client, taskQueue: stage.taskQueue })
    const lost = await dead.budget.acquire('dead', one)
    lost.sent()
    const lease = await join().budget.acquire('dead', one)
    lease.cancel()
  }, 30_000)

  it('says how long a question was held', async () => {
    const workflowId = `opsbook-limits/${stage.taskQueue}/held`
    const port = createLimiterPort({
      client,
      taskQueue: stage.taskQueue,
      workflowType: rateLimiterType,
      workflowId,
    })
    const ask = (process: string): Promise<RateAnswer> => {
      const order: RateAsk = {
        process,
        notes: [],
        windows: [{ max: 1, lengthMs: 200 }],
        want: 1,
        ahead: 0,
      }
      return port.ask<RateAnswer>(askUpdate, order, new AbortController().signal)
    }
    const answers = await Promise.all([ask('one'), ask('other')])
    const [first, second] = answers.map(({ heldMs = Number.NaN }) => heldMs).sort((a, b) => a - b)
    expect(first).toBe(0)
    expect(second).toBeGreaterThan(0)
  })

  it('pauses for everybody when the service says so', async () => {
    const [one, other] = [join(), join()]
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
        await sleep(5)
      }
    }
    await expect(waiting()).rejects.toMatchObject({ code: 'Cancelled' })
    expect(heard.at(-1)).toBe('throttle')
  })
})

describe('the targets of several processes', () => {
  it('take one call at a time', async () => {
    const processes = [join(), join(), join()]
    const inUse = new Map<string, number>()
    let most = 0
    const call = async ({ targetLocks }: TemporalLimits, target: string): Promise<void> => {
      const free = await targetLocks.acquire(target)
      const users = (inUse.get(target) ?? 0) + 1
      inUse.set(target, users)
      most = Math.max(most, users)
      await sleep(2)
      inUse.set(target, (inUse.get(target) ?? 0) - 1)
      free()
    }
    const calls = processes.flatMap((limits) =>
      Array.from({ length: 20 }, (_, index) => call(limits, `target-${index % 4}`)),
    )
    await Promise.all(calls)
    expect(most).toBe(1)
  })

  it('are free again when their process has ended', async () => {
    const ended = createTemporalLimits({ client, taskQueue: stage.taskQueue })
    await ended.targetLocks.acquire('target-of-the-dead')
    await ended.close()
    const free = await join().targetLocks.acquire('target-of-the-dead')
    free()
  })

  it('can be waited for no longer', async () => {
    const [one, other] = [join(), join()]
    const free = await one.targetLocks.acquire('wanted')
    const signal = AbortSignal.abort()
    await expect(other.targetLocks.acquire('wanted', { signal })).rejects.toMatchObject({ code: 'Cancelled' })
    free()
    const freeAgain = await other.targetLocks.acquire('wanted')
    freeAgain()
  })
})
