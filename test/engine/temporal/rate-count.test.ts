import { expect, it } from 'vitest'
import type { RateAnswer } from '../../../src/engine/temporal/limiter/messages.ts'
import {
  createRateCount,
  givePlaces,
  type RateCount,
  takeNotes,
} from '../../../src/engine/temporal/workflow/rate-count.ts'

const windows = [{ max: 3, lengthMs: 60_000 }]
const startMs = Date.parse('2026-11-21T09:00:00Z')

function begin(nowMs: number): RateCount {
  const count = createRateCount(nowMs)
  count.clockMs = nowMs
  return count
}

/** The places that a process is given at once. */
function take(count: RateCount, process: string, want: number): readonly number[] {
  const answer = givePlaces(count, { process, windows, want, ahead: 0 })
  return 'waitUntilMs' in answer ? [] : (answer as RateAnswer).places.map(({ slot }) => slot)
}

it.each(['unused', 'answered'] as const)(
  'what a process says late of places that another generation gave (%s) means none of the next one',
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

it('a place is good for longer where questions are long on their way, within bounds', () => {
  const spans = [undefined, 0, 900, 3_600_000].map((wayMs) => {
    const count = begin(startMs)
    const order = { process: 'one', windows, want: 1, ahead: 0 }
    const answer = givePlaces(count, wayMs === undefined ? order : { ...order, wayMs }) as RateAnswer
    return answer.places[0]?.forMs
  })
  expect(spans).toEqual([2000, 2000, 2900, 7000])
})
