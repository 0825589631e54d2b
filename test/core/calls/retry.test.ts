import { expect, test } from 'vitest'
import { defaultRetry, retryDelayMs } from '../../../src/core/calls/retry.ts'

const items = Array.from({ length: 500 }, (_, index) => `checks[${index}]/ask`)
const policy = { ...defaultRetry, delayMs: 10_000 }

test('without jitter the items of a loop pause exactly as long as the runbook says', () => {
  expect(new Set(items.map((path) => retryDelayMs(policy, 1, path)))).toEqual(new Set([10_000]))
})

test('with jitter the items of a loop are spread evenly over its share of the pause', () => {
  const pauses = items.map((path) => retryDelayMs({ ...policy, jitter: 0.5 }, 1, path))
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(5000)
  expect(Math.max(...pauses)).toBeLessThanOrEqual(10_000)
  for (let from = 5000; from < 10_000; from += 500) {
    const { length } = pauses.filter((pause) => pause > from && pause <= from + 500)
    expect(length, `pauses after ${from} ms`).toBeGreaterThan(25)
    expect(length, `pauses after ${from} ms`).toBeLessThan(75)
  }
})

test('the same call pauses as long when it is replayed, and each repeat has a jitter of its own', () => {
  const jittered = { ...policy, backoff: 1, jitter: 1 }
  const pauses = [1, 2, 3, 4].map((round) => retryDelayMs(jittered, round, 'a'))
  expect([1, 2, 3, 4].map((round) => retryDelayMs(jittered, round, 'a'))).toEqual(pauses)
  expect(new Set(pauses).size).toBe(4)
  for (const pause of pauses) expect(pause).toBeLessThanOrEqual(10_000)
})
