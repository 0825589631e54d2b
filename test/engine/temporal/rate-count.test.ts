import { expect, it } from 'vitest'
import type { RateAnswer } from '../../../src/engine/temporal/limits/messages.ts'
import {
  createRateCount,
  grantPermits,
  type RateCount,
  takeNotes,
} from '../../../src/engine/temporal/workflow/limits/rate-limiter.ts'

const windows = [{ max: 3, lengthMs: 60_000 }]
const startMs = Date.parse('2026-11-21T09:00:00Z')

function begin(nowMs: number): RateCount {
  const count = createRateCount(nowMs)
  count.clockMs = nowMs
  return count
}

/** The permits that a process is given at once. */
function take(count: RateCount, process: string, want: number): readonly number[] {
  const answer = grantPermits(count, { process, windows, want, ahead: 0 })
  return 'waitUntilMs' in answer ? [] : (answer as RateAnswer).permits.map(({ slot }) => slot)
}

it.each(['unused', 'answered'] as const)(
  'what a process says late of permits that another generation gave (%s) means none of the next one',
  (kind) => {
    const before = take(begin(startMs), 'one', 3)
    expect(before).toHaveLength(3)
    const next = begin(startMs + 300_000)
    expect(take(next, 'other', 3)).toHaveLength(3)
    const counted = structuredClone(next.rate)
    takeNotes(next, { process: 'one', notes: before.map((slot) => ({ slot, kind, agoMs: 200_000 })) })
    expect(next.rate).toEqual(counted)
    expect(take(next, 'other', 1)).toEqual([])
  },
)

it('a permit is good for longer where questions are long on their way, within bounds', () => {
  const spans = [undefined, 0, 900, 3_600_000].map((wayMs) => {
    const count = begin(startMs)
    const order = { process: 'one', windows, want: 1, ahead: 0 }
    const answer = grantPermits(count, wayMs === undefined ? order : { ...order, wayMs }) as RateAnswer
    return answer.permits[0]?.forMs
  })
  expect(spans).toEqual([2000, 2000, 2900, 7000])
})

it('a use is counted when it can have been at the latest: not after its report arrived, nor after it was sent', () => {
  const after = [undefined, startMs + 300, startMs + 9000].map((sentByMs) => {
    const count = begin(startMs)
    const [slot = 0] = take(count, 'one', 1)
    count.clockMs = startMs + 1000
    const sent = sentByMs === undefined ? {} : { sentByMs }
    takeNotes(count, { process: 'one', notes: [{ slot, kind: 'answered', agoMs: 100 }], ...sent })
    return count.rate.counted.map((atMs) => atMs - startMs)
  })
  expect(after).toEqual([[900], [200], [900]])
})

it('a process with competitors prefetches while half of the smallest window stays free', () => {
  const wide = [
    { max: 40, lengthMs: 1000 },
    { max: 1000, lengthMs: 60_000 },
  ]
  const count = begin(startMs)
  const ask = (process: string, want: number, windows = wide): number => {
    const answer = grantPermits(count, { process, windows, want, ahead: 50 })
    return 'waitUntilMs' in answer ? 0 : answer.permits.length
  }
  expect(ask('one', 1)).toBe(40)
  const shared = begin(startMs)
  Object.assign(count, shared, { rate: shared.rate, seen: { one: startMs, other: startMs } })
  expect([ask('one', 1), ask('other', 1), ask('one', 1), ask('other', 3)]).toEqual([10, 10, 1, 3])
  expect(ask('one', 1, [{ max: 1, lengthMs: 1000 }])).toBe(0)
})
