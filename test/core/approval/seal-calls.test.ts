import { expect, it } from 'vitest'
import { callChanges } from '../../../src/core/approval/call-changes.ts'
import { coversLines } from '../../../src/core/approval/covers-lines.ts'
import { type ForeseenCall, sealCalls } from '../../../src/core/approval/seal-calls.ts'
import type { UsesPlan } from '../../../src/core/plan.ts'

const uses = {
  action: { name: 'test/write', safety: 'idempotent' },
  with: { kind: 'literal', value: {} },
} as unknown as UsesPlan

const write = (path: string, of: string): ForeseenCall => ({ path, uses, input: { of } })

it('seals with the key of the run: without it, a short argument cannot be found by trying', () => {
  const calls = [write('a', '4711')]
  const [one, same, other] = ['k1', 'k1', 'k2'].map((key) => sealCalls(calls, { key }))
  expect(same).toEqual(one)
  expect(other?.hashes).not.toEqual(one?.hashes)
  expect(other?.covers.seal).not.toBe(one?.covers.seal)
  expect(other?.covers.calls[0]?.hash).not.toBe(one?.covers.calls[0]?.hash)
})

it('shows a call of each step before it shows a second one of any', () => {
  const many = Array.from({ length: 500 }, (_, at) => write(`each[${at}]`, 'x'.repeat(1000)))
  const { covers, hashes } = sealCalls([...many, write('last', 'y'), write('large', 'z'.repeat(7000))], {
    key: 'k',
  })
  const shown = new Map(covers.calls.map((one) => [one.step, one.shown]))
  expect(shown.get('last')).toEqual([{ path: 'last', input: { of: 'y' } }])
  expect(shown.get('large')).toEqual([{ path: 'large', input: { of: 'z'.repeat(7000) } }])
  expect(shown.get('each')?.length).toBeGreaterThan(10)
  expect(JSON.stringify(covers).length).toBeLessThan(40_000)
  expect(hashes).toHaveLength(502)
})

it('names each step, also where the first calls are more than a question shows', () => {
  const large = Array.from({ length: 9 }, (_, at) => write(`s${at}`, 'x'.repeat(7000)))
  const { covers } = sealCalls(large, { key: 'k' })
  expect(covers.calls.map(({ shown }) => shown.length)).toEqual(Array.from({ length: 9 }, () => 1))
  expect(coversLines(covers).filter((line) => line.includes('too large to be shown'))).toHaveLength(5)
})

it('keeps the beginning of large values that differ', () => {
  const [before, after] = ['a', 'b'].map(
    (letter) => sealCalls([write('w', letter.repeat(6000))], { key: 'k' }).covers.calls,
  )
  const [change] = callChanges(before ?? [], after ?? [])
  expect(change).toEqual({ path: 'w', field: 'of', was: `${'a'.repeat(500)}…`, is: `${'b'.repeat(500)}…` })
})

it('does not call new what was approved and is not shown any more', () => {
  const [before, after] = ['a', 'b'].map((of) => sealCalls([write('w', of)], { key: 'k' }).covers.calls)
  const kept = (before ?? []).map((one) => ({ ...one, shown: [] }))
  expect(callChanges(kept, after ?? [])).toEqual([{ path: 'w', field: '' }])
})
