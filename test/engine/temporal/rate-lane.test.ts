import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { LimiterPort } from '../../../src/engine/temporal/limiter/limiter-port.ts'
import type { RateAnswer, RateAsk, RateNotes } from '../../../src/engine/temporal/limiter/messages.ts'
import { createRateLane, type RateLane } from '../../../src/engine/temporal/limiter/rate-lane.ts'

it('a question says how long the last one and its answer were on their way, without the time it was held', async () => {
  const heldMs = [0, 60_000]
  const asked: RateAsk[] = []
  const lane = createRateLane(
    {
      async ask<Answer>(_update: string, order: object): Promise<Answer> {
        const answer: RateAnswer = { places: [], isShared: true, heldMs: heldMs[asked.length] ?? 0 }
        asked.push(order as RateAsk)
        await turn()
        return answer as Answer
      },
      async tell() {},
    },
    'key',
    'one',
  )
  lane.waiting = 1
  while (asked.length < 3) {
    lane.refill([{ max: 1, lengthMs: 1000 }])
    await turn()
  }
  await lane.close()
  const [first = 0, second = 0, third = 0] = asked.map(({ wayMs = Number.NaN }) => wayMs)
  expect(first).toBe(0)
  expect(second).toBeGreaterThan(0)
  // Half of the last one: the way of the second is no longer than what it was held.
  expect(third).toBe(Math.floor(second / 2))
})

describe('a process in line', () => {
  const inLine: RateAnswer = { places: [], isShared: true, isWaiting: true }
  const windows = [{ max: 1, lengthMs: 1000 }]
  const answer: RateAnswer = { places: [{ slot: 7, inMs: 0, forMs: 60_000 }], isShared: true, heldMs: 0 }

  /** A lane whose questions are all answered with a place in line. */
  function openLane(): { readonly lane: RateLane; readonly asked: RateAsk[]; readonly told: RateNotes[] } {
    const asked: RateAsk[] = []
    const told: RateNotes[] = []
    const port: LimiterPort = {
      async ask<Answer>(_update: string, order: object): Promise<Answer> {
        asked.push(order as RateAsk)
        return inLine as Answer
      },
      async tell(_signal, notes) {
        told.push(notes as RateNotes)
      },
    }
    const lane = createRateLane(port, 'key', 'one')
    lane.waiting = 1
    return { lane, asked, told }
  }

  it('asks once, and uses the places that it is handed', async () => {
    const { lane, asked } = openLane()
    lane.refill(windows)
    lane.refill(windows)
    await turn()
    expect(asked.map(({ ask, want }) => ({ ask, want }))).toEqual([{ ask: 1, want: 1 }])
    lane.take({ ask: 1, answer })
    expect(lane.stock.take()).toMatchObject({ slot: 7 })
    await lane.close()
  })

  it('takes places that arrive before the answer that it is in line', async () => {
    const { lane, asked } = openLane()
    lane.refill(windows)
    lane.take({ ask: 1, answer })
    await turn()
    lane.refill(windows)
    await turn()
    expect(asked).toHaveLength(1)
    await lane.close()
  })

  it('returns places of a question that it no longer knows: for how long they are good is unknown', async () => {
    const { lane, told } = openLane()
    lane.take({ ask: 99, answer })
    expect(lane.stock.count()).toBe(0)
    await lane.close()
    expect(told.flatMap(({ notes }) => notes)).toMatchObject([{ slot: 7, kind: 'unused' }])
  })
})
