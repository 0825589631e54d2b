import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { type CelCase, celCases } from './cel-cases.ts'

interface LeftOut {
  readonly reason: string
  /** How many cases that is. */
  readonly count: number
  /** Their ids, in which `*` stands for anything. */
  readonly cases: readonly string[]
}

const file = new URL('../../cases/expressions/cel-conformance.yaml', import.meta.url)
const { leftOut } = parse(readFileSync(file, 'utf8')) as { leftOut: readonly LeftOut[] }
const all = celCases()
const casesLike = (pattern: string): readonly CelCase[] => {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[\\^$.+?()[\]{}|]/g, '\\$&'))
  const whole = new RegExp(`^${parts.join('.*')}$`, 's')
  return all.filter(({ id }) => whole.test(id))
}
const leftOutBy = leftOut.map(({ cases }) => new Set(cases.flatMap(casesLike)))

describe('the public conformance data of CEL', () => {
  const toRun = all.filter((one) => !leftOutBy.some((cases) => cases.has(one)))

  it.each(toRun)('$id', ({ difference }) => expect(difference()).toBeUndefined())
})

describe('what is left out of it', () => {
  it.each(leftOut.flatMap(({ cases }) => cases))('%s is different', (pattern) => {
    const found = casesLike(pattern)
    expect(found.length).toBeGreaterThan(0)
    expect(found.filter(({ difference }) => difference() === undefined).map(({ id }) => id)).toEqual([])
  })

  it('is as much as is said, for one reason each', () => {
    const counts = leftOut.map(({ reason }, index) => [reason, leftOutBy[index]?.size])
    expect(counts).toEqual(leftOut.map(({ reason, count }) => [reason, count]))
    const sum = leftOutBy.reduce((total, { size }) => total + size, 0)
    expect(new Set(leftOutBy.flatMap((cases) => [...cases])).size).toBe(sum)
  })
})
