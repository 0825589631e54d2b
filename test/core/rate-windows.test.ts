import { describe, expect, it } from 'vitest'
import {
  createRateState,
  markAnswered,
  markSent,
  type RateState,
  type RateWindow,
  removeSlot,
  reserve,
} from '../../src/core/pacing/rate-windows.ts'
import { createRandom } from '../fuzz/random.ts'
import { mostIn } from './most-in.ts'

const second = (max: number): RateWindow => ({ max, lengthMs: 1000 })
const minute = (max: number): RateWindow => ({ max, lengthMs: 60_000 })
const day = (max: number): RateWindow => ({ max, lengthMs: 86_400_000 })

interface Network {
  /** From the decision to the sending. */
  readonly setup: () => number
  readonly there: () => number
  readonly back: () => number
}

interface Simulated {
  readonly arrivals: readonly number[]
  readonly endedAt: number
  readonly largestState: number
}

/** Makes `calls` calls as fast as the windows allow, over a network with random delays, in virtual time. */
function simulate(
  windows: readonly RateWindow[],
  marginMs: number,
  calls: number,
  network: Network,
  keep: (state: RateState) => RateState = (state) => state,
): Simulated {
  let state = createRateState(marginMs)
  let now = 0
  let largestState = 0
  const arrivals: number[] = []
  const events: { at: number; act: () => void }[] = []
  const later = (at: number, act: () => void): void => {
    const index = events.findLastIndex((event) => event.at <= at)
    events.splice(index + 1, 0, { at, act })
  }
  for (let made = 0; made < calls; ) {
    const reservation = reserve(state, windows, now, 1)
    state = keep(reservation.state)
    largestState = Math.max(largestState, sizeOf(state))
    if (reservation.isGranted) {
      const slot = reservation.slots[0] as number
      const sentAt = now + network.setup()
      const arrivedAt = sentAt + network.there()
      const answeredAt = arrivedAt + network.back()
      arrivals.push(arrivedAt)
      later(sentAt, () => {
        state = markSent(state, slot, now)
      })
      later(answeredAt, () => {
        state = markAnswered(state, slot, now)
      })
      made++
      continue
    }
    const next = events[0]
    if (next && next.at <= reservation.untilMs) {
      events.shift()
      now = Math.max(now, next.at)
      next.act()
    } else now = reservation.untilMs
  }
  return { arrivals: arrivals.sort((a, b) => a - b), endedAt: now, largestState }
}

function sizeOf({ counted, sent, unsent }: RateState): number {
  return counted.length + sent.length + unsent.length
}

/** The shortest time in which this many calls can start: the longest window first, the rest of it in shorter ones. */
function boundMs(windows: readonly RateWindow[], calls: number): number {
  const [longest, ...shorter] = [...windows].sort((a, b) => b.lengthMs - a.lengthMs)
  if (!longest) return 0
  const full = Math.floor((calls - 1) / longest.max)
  return full * longest.lengthMs + boundMs(shorter, calls - full * longest.max)
}

const networks: readonly { name: string; marginMs: number; windows: readonly RateWindow[]; calls: number }[] =
  [
    { name: 'E4', marginMs: 250, windows: [second(10), minute(600)], calls: 3000 },
    { name: 'E5', marginMs: 250, windows: [second(10), minute(60)], calls: 300 },
    { name: 'E6', marginMs: 250, windows: [second(20), minute(200), day(1000)], calls: 2500 },
    { name: 'E2', marginMs: 100, windows: [second(50), minute(1000)], calls: 5000 },
    { name: 'one at a time', marginMs: 50, windows: [second(1)], calls: 50 },
  ]

describe.each(networks)('windows of $name', ({ marginMs, windows, calls }) => {
  it.each([1, 2, 3, 4])(
    'are never broken at the service, whatever the network does (reusable %i)',
    (reusable) => {
      const { next: random } = createRandom(reusable)
      const simulated = simulate(windows, marginMs, calls, {
        setup: () => (random() < 0.1 ? random() * 3000 : 0),
        there: () => random() * marginMs,
        back: () => (random() < 0.2 ? random() * 5000 : random() * 20),
      })
      expect(simulated.arrivals).toHaveLength(calls)
      for (const { max, lengthMs } of windows)
        expect(mostIn(simulated.arrivals, lengthMs)).toBeLessThanOrEqual(max)
    },
  )

  it('are used almost to the full on a quick network', () => {
    const { next: random } = createRandom(9)
    const { endedAt } = simulate(windows, marginMs, calls, {
      setup: () => 0,
      there: () => random() * 5,
      back: () => random() * 15,
    })
    expect(endedAt).toBeLessThanOrEqual(boundMs(windows, calls) * 1.03)
  })

  it('are the same wherever the state is kept between two calls', () => {
    const simulated = (keep?: (state: RateState) => RateState): Simulated => {
      const { next: random } = createRandom(5)
      const delay = (): number => random() * marginMs
      return simulate(
        windows,
        marginMs,
        Math.min(calls, 400),
        { setup: delay, there: delay, back: delay },
        keep,
      )
    }
    const throughJson = (state: RateState): RateState => JSON.parse(JSON.stringify(state))
    expect(simulated(throughJson)).toEqual(simulated())
  })

  it('keep a state no larger than the largest window', () => {
    const { largestState } = simulate(windows, marginMs, calls, {
      setup: () => 0,
      there: () => 5,
      back: () => 5,
    })
    expect(largestState).toBeLessThanOrEqual(Math.max(...windows.map(({ max }) => max)) + 300)
  })
})

describe('a place in the windows', () => {
  const taken = (state: RateState, now: number): { state: RateState; slot: number } => {
    const reservation = reserve(state, [second(1)], now, 1)
    if (!reservation.isGranted) throw new Error(`not before ${reservation.untilMs}`)
    return { state: reservation.state, slot: reservation.slots[0] as number }
  }

  it('frees one window after the answer', () => {
    const { state, slot } = taken(createRateState(300), 0)
    const answered = markAnswered(markSent(state, slot, 0), slot, 40)
    expect(reserve(answered, [second(1)], 50, 1)).toMatchObject({ isGranted: false, untilMs: 1041 })
    expect(reserve(answered, [second(1)], 1041, 1)).toMatchObject({ isGranted: true })
  })

  it('frees one window after the margin when the answer takes longer', () => {
    const { state, slot } = taken(createRateState(300), 0)
    const sent = markSent(state, slot, 0)
    expect(reserve(sent, [second(1)], 500, 1)).toMatchObject({ isGranted: false, untilMs: 1301 })
    const answered = markAnswered(sent, slot, 900)
    expect(reserve(answered, [second(1)], 1301, 1)).toMatchObject({ isGranted: true })
  })

  it('stays taken for as long as the request has not gone out', () => {
    const { state } = taken(createRateState(300), 0)
    expect(reserve(state, [second(1)], 5000, 1)).toMatchObject({ isGranted: false })
  })

  it('comes back when the request never goes out', () => {
    const { state, slot } = taken(createRateState(300), 0)
    expect(reserve(removeSlot(state, slot), [second(1)], 1, 1)).toMatchObject({ isGranted: true })
  })

  it('survives a journey through JSON', () => {
    const { state, slot } = taken(createRateState(300), 0)
    const sent = markSent(state, slot, 0)
    expect(JSON.parse(JSON.stringify(sent))).toEqual(sent)
  })

  it('is taken for several calls together or not at all', () => {
    const windows = [second(5)]
    const first = reserve(createRateState(300), windows, 0, 3)
    expect(first).toMatchObject({ isGranted: true, slots: [1, 2, 3] })
    expect(reserve(first.state, windows, 0, 3)).toMatchObject({ isGranted: false })
    expect(reserve(first.state, windows, 0, 2)).toMatchObject({ isGranted: true, slots: [4, 5] })
    expect(() => reserve(first.state, windows, 0, 6)).toThrow(RangeError)
  })

  it('is not freed early by a clock that was set back', () => {
    const first = taken(createRateState(0), 10_000)
    const settled = markAnswered(markSent(first.state, first.slot, 10_000), first.slot, 10_000)
    expect(reserve(settled, [second(1)], 5000, 1)).toMatchObject({ isGranted: false, untilMs: 11_001 })
  })
})
