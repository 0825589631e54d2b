import { expect, it } from 'vitest'
import type { Covers } from '../../../src/core/approval/covers.ts'
import { keepNewestShown } from '../../../src/core/approval/index.ts'

function covers(seal: string): Covers {
  const shown = [{ path: 'a', input: { of: 'x'.repeat(30_000) } }]
  const changes = [{ path: 'a', field: 'of', was: 1, is: 2 }]
  return {
    seal,
    calls: [{ step: 'a', action: 'test/write', safety: 'idempotent', count: 1, hash: seal, shown }],
    open: [],
    again: { question: 'ask', changes },
  }
}

it('keeps the calls of the newest questions, and the seals of all', () => {
  const all = Array.from({ length: 100 }, (_, at) => ({ at, covers: covers(String(at)) }))
  const kept = keepNewestShown(all, ({ at }) => at === 3)
  const whole = kept.filter((one) => one.covers.calls[0]?.shown.length === 1).map(({ at }) => at)
  expect(whole).toEqual([3, 96, 97, 98, 99])
  expect(kept.map((one) => one.covers.seal)).toEqual(all.map((one) => one.covers.seal))
  expect(kept[0]?.covers.again).toEqual({ question: 'ask', changes: [{ path: 'a', field: 'of' }] })
  expect(JSON.stringify(kept).length).toBeLessThan(200_000)
})

it('leaves questions without calls as they are', () => {
  expect(keepNewestShown([{ at: 1 }, { at: 2 }] as readonly { at: number; covers?: Covers }[])).toEqual([
    { at: 1 },
    { at: 2 },
  ])
})
