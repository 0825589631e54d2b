import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import {
  createLimiterClient,
  type LimiterClient,
} from '../../../src/engine/temporal/limits/limiter-client.ts'
import type { LimiterPort } from '../../../src/engine/temporal/limits/limiter-port.ts'
import type { RateAnswer, RateAsk, RateNotes } from '../../../src/engine/temporal/limits/messages.ts'

it('a question says how long the last one and its answer were on their way, without the time it was held', async () => {
  const heldMs = [0, 60_000]
  const asked: RateAsk[] = []
  const limiter = createLimiterClient(
    {
      async ask<Answer>(_update: string, order: object): Promise<Answer> {
        const answer: RateAnswer = {
          permits: [],
          atMs: 0,
          isShared: true,
          heldMs: heldMs[asked.length] ?? 0,
        }
        asked.push(order as RateAsk)
        await turn()
        return answer as Answer
      },
      async report() {},
    },
    'key',
    'one',
  )
  limiter.waiting = 1
  while (asked.length < 3) {
    limiter.refill([{ max: 1, lengthMs: 1000 }])
    await turn()
  }
  await limiter.close()
  const [first = 0, second = 0, third = 0] = asked.map(({ wayMs = Number.NaN }) => wayMs)
  expect(first).toBe(0)
  expect(second).toBeGreaterThan(0)
  // Half of the last one: the way of the second is no longer than what it was held.
  expect(third).toBe(Math.floor(second / 2))
})

describe('a process in line', () => {
  const inLine: RateAnswer = { permits: [], atMs: 0, isShared: true, isWaiting: true }
  const windows = [{ max: 1, lengthMs: 1000 }]
  const answer: RateAnswer = { permits: [{ slot: 7, inMs: 0, forMs: 60_000 }], atMs: 0, isShared: true }

  /** A limiter whose questions are all answered with a permit in line. */
  function openLimiter(): {
    readonly limiter: LimiterClient
    readonly asked: RateAsk[]
    readonly told: RateNotes[]
  } {
    const asked: RateAsk[] = []
    const told: RateNotes[] = []
    const port: LimiterPort = {
      async ask<Answer>(_update: string, order: object): Promise<Answer> {
        asked.push(order as RateAsk)
        return inLine as Answer
      },
      async report(_signal, notes) {
        told.push(notes as RateNotes)
      },
    }
    const limiter = createLimiterClient(port, 'key', 'one')
    limiter.waiting = 1
    return { limiter, asked, told }
  }

  it('asks once, and uses the permits that it is handed', async () => {
    const { limiter, asked } = openLimiter()
    limiter.refill(windows)
    limiter.refill(windows)
    await turn()
    expect(asked.map(({ ask, want }) => ({ ask, want }))).toEqual([{ ask: 1, want: 1 }])
    limiter.take({ ask: 1, answer })
    expect(limiter.prefetched.take()).toMatchObject({ slot: 7 })
    await limiter.close()
  })

  it('takes permits that arrive before the answer that it is in line', async () => {
    const { limiter, asked } = openLimiter()
    limiter.refill(windows)
    limiter.take({ ask: 1, answer })
    await turn()
    limiter.refill(windows)
    await turn()
    expect(asked).toHaveLength(1)
    await limiter.close()
  })

  it('returns permits of a question that it no longer knows: for how long they are good is unknown', async () => {
    const { limiter, told } = openLimiter()
    limiter.take({ ask: 99, answer })
    expect(limiter.prefetched.count()).toBe(0)
    await limiter.close()
    expect(told.flatMap(({ notes }) => notes)).toMatchObject([{ slot: 7, kind: 'unused' }])
  })
})
