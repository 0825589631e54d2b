import { expect, it } from 'vitest'
import { callChanges } from '../../../src/core/approval/call-changes.ts'
import { coversLines } from '../../../src/core/approval/covers-lines.ts'
import type { Covers } from '../../../src/core/approval/index.ts'
import { type ForeseenCall, sealCalls } from '../../../src/core/approval/seal-calls.ts'
import type { UsesPlan } from '../../../src/core/plan/plan.ts'

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

it('covers a step only where its calls are shown whole, and the small steps before the large ones', () => {
  const many = Array.from({ length: 500 }, (_, at) => write(`each[${at}]`, 'x'.repeat(1000)))
  const { covers, hashes } = sealCalls([...many, write('last', 'y'), write('large', 'z'.repeat(60_000))], {
    key: 'k',
  })
  expect(covers.calls.map(({ step, shown }) => [step, shown])).toEqual([
    ['last', [{ path: 'last', input: { of: 'y' } }]],
    ['large', [{ path: 'large', input: { of: 'z'.repeat(60_000) } }]],
  ])
  expect(covers.open).toMatchObject([{ step: 'each', needs: [], is_too_large: true }])
  expect(hashes).toHaveLength(2)
  const lines = coversLines(covers).join('\n')
  expect(lines).toContain('z'.repeat(60_000))
  expect(lines).toContain('each  test/write  can be repeated  more than a question shows whole')
})

it('shows a text with its values, and a secret by its name, and seals what reads other parts of the answer apart', () => {
  const secret = { ...uses, secrets: [{ path: ['token'], name: 'crm' }] } as UsesPlan
  const calls = ['by', 'comment'].map((field): readonly ForeseenCall[] => [
    {
      path: 'a',
      uses: secret,
      input: { of: `as \${{ steps.ask.outputs.${field} }} said` },
      shown: { input: { of: 'as ‹not known yet› said' } },
    },
  ])
  const [by, comment] = calls.map((one) => sealCalls(one, { key: 'k' }))
  const lines = coversLines(by?.covers as Covers).join('\n')
  expect(lines).toContain('{"of":"as ‹not known yet› said","token":"‹secret crm›"}')
  expect(lines).not.toContain('${{')
  expect(comment?.covers.calls[0]?.shown).toEqual(by?.covers.calls[0]?.shown)
  expect(comment?.hashes).not.toEqual(by?.hashes)
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
