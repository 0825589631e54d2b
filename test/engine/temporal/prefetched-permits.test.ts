import { expect, it } from 'vitest'
import { steadyNow } from '../../../src/api/pacing/waits.ts'
import { createPrefetchedPermits } from '../../../src/engine/temporal/limits/prefetched-permits.ts'

const permit = { slot: 1, inMs: 0, forMs: 10_000 }
const longMs = 60_000

it('a permit can be used from the latest time on at which it can have been counted', () => {
  const prefetched = createPrefetchedPermits()
  const now = steadyNow()
  prefetched.add({ permits: [permit] }, now - 10, now + longMs)
  expect(prefetched.take()).toBeUndefined()
  expect(prefetched.nextMs()).toBe(now + longMs)
})

it('a permit cannot be used once its span is over from the earliest time on', () => {
  const prefetched = createPrefetchedPermits()
  const now = steadyNow()
  prefetched.add({ permits: [permit] }, now - longMs, now)
  expect(prefetched.take()).toBeUndefined()
  expect(prefetched.takeNotes()).toMatchObject([{ slot: 1, kind: 'unused' }])
})
