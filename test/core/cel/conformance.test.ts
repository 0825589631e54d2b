import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { type CelCase, celCases } from './cel-cases.ts'

interface LeftOut {
  readonly reason: string
  /** Whole groups of cases, with those inside them. */
  readonly groups?: readonly string[]
  /** Cases by their ids. */
  readonly cases?: readonly string[]
}

const file = new URL('../../cases/expressions/cel-conformance.yaml', import.meta.url)
const { leftOut } = parse(readFileSync(file, 'utf8')) as { leftOut: readonly LeftOut[] }
const all = celCases()
const isIn = (group: string, { group: own }: CelCase): boolean => own === group || own.startsWith(`${group}/`)
const isLeftOutBy = ({ groups = [], cases = [] }: LeftOut, one: CelCase): boolean =>
  cases.includes(one.id) || groups.some((group) => isIn(group, one))
const toRun = all.filter((one) => !leftOut.some((entry) => isLeftOutBy(entry, one)))

describe('the public conformance data of CEL', () => {
  it.each(toRun)('$id', ({ difference }) => expect(difference()).toBeUndefined())

  afterAll(() => {
    const lines = leftOut.map((entry) => {
      const count = all.filter((one) => isLeftOutBy(entry, one)).length
      return `${String(count).padStart(6)} left out: ${entry.reason}\n`
    })
    process.stdout.write(`\nCEL: ${all.length} cases, ${toRun.length} run\n${lines.join('')}`)
  })
})

describe('what is left out of it', () => {
  it.each(leftOut.flatMap(({ groups = [] }) => groups))(
    'all cases of the group %s are different',
    (group) => {
      const inGroup = all.filter((one) => isIn(group, one))
      expect(inGroup.length).toBeGreaterThan(0)
      expect(inGroup.filter((one) => one.difference() === undefined).map(({ id }) => id)).toEqual([])
    },
  )

  it.each(leftOut.flatMap(({ cases = [] }) => cases))('the case %s is different', (id) => {
    const named = all.filter((one) => one.id === id)
    expect(named.length).toBeGreaterThan(0)
    expect(named.filter((one) => one.difference() === undefined)).toEqual([])
  })

  it('is left out once', () => {
    const twice = all.filter((one) => leftOut.filter((entry) => isLeftOutBy(entry, one)).length > 1)
    expect(twice.map(({ id }) => id)).toEqual([])
  })
})
