import { describe, expect, it } from 'vitest'
import { type ClockExchange, createLimiterClock } from '../../../src/engine/temporal/limits/limiter-clock.ts'

/** The limiter is this far ahead of the process. */
const aheadMs = 1_000_000

/** A request that took `there` to the limiter, was held there, and whose answer took `back`. */
function exchange(sentMs: number, there: number, back: number, heldMs = 0, ahead = aheadMs): ClockExchange {
  const atMs = sentMs + there + heldMs + ahead
  return { askedMs: sentMs, heardMs: sentMs + there + heldMs + back, atMs, heldMs }
}

interface ClockCase {
  readonly name: string
  readonly exchanges: readonly ClockExchange[]
  /** The bounds of the instant that the limiter reaches at 9000 of the process. */
  readonly earliestMs: number
  readonly latestMs: number
}

const cases: readonly ClockCase[] = [
  {
    name: 'one exchange bounds an instant by the way there, rounded up, and the way back',
    exchanges: [exchange(8000, 30, 50)],
    earliestMs: 9000 - 31,
    latestMs: 9000 + 50,
  },
  {
    name: 'the fastest message in each direction counts, less a millisecond for each second of its age',
    exchanges: [exchange(6000, 30, 10), exchange(6980, 5, 80), exchange(8000, 20, 20)],
    earliestMs: 9000 - 6 - 0.975,
    latestMs: 9000 + 10 + 2,
  },
  {
    name: 'the time that a request was held is no part of its way',
    exchanges: [exchange(1000, 7, 9, 7000)],
    earliestMs: 9000 - 8,
    latestMs: 9000 + 9,
  },
  {
    name: 'what is older than ten seconds is forgotten',
    exchanges: [exchange(1000, 1, 1), exchange(12_000, 30, 40)],
    earliestMs: 9000 - 31,
    latestMs: 9000 + 40,
  },
  {
    name: 'after the clock of the limiter was set back, only what was heard since counts',
    exchanges: [exchange(7000, 1, 1, 0, aheadMs + 500), exchange(8000, 30, 40)],
    earliestMs: 9000 - 31,
    latestMs: 9000 + 40,
  },
  {
    name: 'the same where it was set forward',
    exchanges: [exchange(7000, 1, 1, 0, aheadMs - 500), exchange(8000, 30, 40)],
    earliestMs: 9000 - 31,
    latestMs: 9000 + 40,
  },
  {
    name: 'a clock that was set forward while the request was held makes nothing valid for longer',
    exchanges: [{ ...exchange(8000, 30, 40), heldMs: 60_000 }],
    earliestMs: 9000 + 40,
    latestMs: 9000 + 40,
  },
]

describe('the clock of a limiter', () => {
  it.each(cases)('$name', ({ exchanges, earliestMs, latestMs }) => {
    const clock = createLimiterClock()
    for (const one of exchanges) clock.heard(one)
    expect(clock.earliestMs(9000 + aheadMs)).toBeCloseTo(earliestMs)
    expect(clock.latestMs(9000 + aheadMs)).toBeCloseTo(latestMs)
  })

  it('an instant of the process is bounded by the fastest way there, for ten seconds after an answer', () => {
    const clock = createLimiterClock()
    expect(clock.latestInstantMs(0)).toBeUndefined()
    clock.heard(exchange(1000, 30, 10))
    expect(clock.latestInstantMs(1000)).toBe(1000 + aheadMs + 31)
    expect(clock.latestInstantMs(3040)).toBe(3040 + aheadMs + 33)
    expect(clock.latestInstantMs(12_000)).toBeUndefined()
  })
})
