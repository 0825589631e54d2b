import type { RunbookError, TargetLocks } from 'opsbook/api'
import { expect } from 'vitest'

/** Many callers want one target, through several locks that share it. No caller holds it beside another, or loses it. */
export async function expectNoSharedTarget(locks: readonly TargetLocks[], callers: number): Promise<void> {
  let holders = 0
  let most = 0
  const hold = async (index: number): Promise<string> => {
    const stop = new AbortController()
    if (index % 3 === 0) setImmediate(() => stop.abort())
    try {
      const options = { signal: stop.signal, priority: index % 5 }
      const release = await locks[index % locks.length]?.acquire('web-01', options)
      most = Math.max(most, ++holders)
      if (index % 7 === 0) await new Promise(setImmediate)
      holders--
      release?.()
      return 'held'
    } catch (error) {
      return (error as RunbookError).code
    }
  }
  const ends = await Promise.all(Array.from({ length: callers }, (_, index) => hold(index)))
  expect(most).toBe(1)
  expect(new Set(ends)).toEqual(new Set(['held', 'Cancelled']))
  expect(ends.filter((end, index) => index % 3 !== 0 && end !== 'held')).toEqual([])
}
