import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { RateAnswer, RateAsk } from '../../../src/engine/temporal/limiter/messages.ts'
import { createRateLane } from '../../../src/engine/temporal/limiter/rate-lane.ts'

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
