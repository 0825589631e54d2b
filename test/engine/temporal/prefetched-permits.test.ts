import { expect, it } from 'vitest'
import { steadyNow } from '../../../src/api/pacing/waits.ts'
import { createPrefetchedPermits } from '../../../src/engine/temporal/limits/prefetched-permits.ts'

const permit = { slot: 1, inMs: 0, forMs: 10_000 }
const longMs = 60_000

it('a permit can be used when its question was held for longer than a permit is good', () => {
  const prefetched = createPrefetchedPermits()
  const heardMs = steadyNow()
  prefetched.add({ permits: [permit], heldMs: longMs }, heardMs - longMs, heardMs)
  expect(prefetched.take()?.slot).toBe(1)
})

it('a permit cannot be used when the way of its question and answer took longer than it is good', () => {
  const prefetched = createPrefetchedPermits()
  const heardMs = steadyNow()
  prefetched.add({ permits: [permit], heldMs: 0 }, heardMs - longMs, heardMs)
  expect(prefetched.take()).toBeUndefined()
  expect(prefetched.takeNotes()).toMatchObject([{ slot: 1, kind: 'unused' }])
})

it('a clock that was set forward while a question was held makes no permit good for longer', () => {
  const prefetched = createPrefetchedPermits()
  const heardMs = steadyNow() - permit.forMs
  prefetched.add({ permits: [permit], heldMs: longMs }, heardMs, heardMs)
  expect(prefetched.take()).toBeUndefined()
})
