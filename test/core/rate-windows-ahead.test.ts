import { describe, expect, it } from 'vitest'
import {
  createRateState,
  type RateWindow,
  removeSlot,
  reserveAhead,
} from '../../src/core/pacing/rate-windows.ts'
import { createRandom } from '../fuzz/random.ts'
import { mostIn } from './most-in.ts'

const windows: readonly RateWindow[] = [
  { max: 10, lengthMs: 1000 },
  { max: 60, lengthMs: 60_000 },
]
const marginMs = 250

/** Grants permits ahead, in virtual time, to processes that use them, or give them back late. */
function simulate(reusable: number, calls: number): readonly number[] {
  const { next: random } = createRandom(reusable)
  const state = createRateState(marginMs)
  const arrivals: number[] = []
  let later: { at: number; act: () => void }[] = []
  let now = 0
  for (let given = 0; given < calls; ) {
    later.sort((a, b) => a.at - b.at)
    while (later[0] && later[0].at <= now) later.shift()?.act()
    const validMs = 100 + random() * 2000
    const latestMs = now + random() * 1500
    const place = reserveAhead(state, windows, now, { earliestMs: now, latestMs, validMs })
    if (!place.isGranted) {
      expect(place.untilMs).toBeGreaterThan(latestMs)
      now += 20
      continue
    }
    given++
    const { slot, fromMs } = place
    const fate = random()
    if (fate < 0.1) {
      later = [...later, { at: fromMs + validMs + 10, act: () => removeSlot(state, slot) }]
      continue
    }
    const sentAt = fromMs + random() * validMs
    arrivals.push(sentAt + random() * marginMs)
  }
  return arrivals.sort((a, b) => a - b)
}

describe('permits that are granted ahead', () => {
  it.each([1, 2, 3, 4, 5, 6])('never break a window, whatever becomes of them (reusable %i)', (reusable) => {
    const arrivals = simulate(reusable, 600)
    for (const { max, lengthMs } of windows) expect(mostIn(arrivals, lengthMs)).toBeLessThanOrEqual(max)
  })

  it('count from the end of their time', () => {
    const state = createRateState(marginMs)
    const one: readonly RateWindow[] = [{ max: 1, lengthMs: 1000 }]
    const order = { earliestMs: 0, latestMs: 0, validMs: 500 }
    const place = reserveAhead(state, one, 0, order)
    expect(place).toMatchObject({ isGranted: true, fromMs: 0 })
    expect(reserveAhead(state, one, 0, order)).toEqual({ isGranted: false, untilMs: 500 + marginMs + 1001 })
    const later = { ...order, latestMs: 2000 }
    expect(reserveAhead(state, one, 0, later)).toMatchObject({ fromMs: 500 + marginMs + 1001 })
  })

  it('are free again when they were not used', () => {
    const state = createRateState(marginMs)
    const one: readonly RateWindow[] = [{ max: 1, lengthMs: 1000 }]
    const order = { earliestMs: 0, latestMs: 0, validMs: 500 }
    expect(reserveAhead(state, one, 0, order)).toMatchObject({ slot: 1 })
    removeSlot(state, 1)
    expect(reserveAhead(state, one, 0, order)).toMatchObject({ slot: 2, fromMs: 0 })
  })
})
