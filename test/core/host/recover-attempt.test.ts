import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import type { Safety } from '../../../src/core/action.ts'
import type { AttemptResult } from '../../../src/core/calls/attempts.ts'
import { type Recovery, type RecoveryFacts, recoverAttempt } from '../../../src/core/host/recover-attempt.ts'

interface Combination {
  readonly known: string
  readonly safety: Safety
  readonly cancelled: boolean
  readonly resumed: boolean
  readonly reusable: 'nothing' | 'result' | 'unknown-outcome'
}

type Fact = keyof Combination

interface Cases {
  readonly facts: { readonly [fact in Fact]: readonly Combination[fact][] }
  readonly records: Readonly<Record<string, AttemptResult | 'begun'>>
  readonly rules: readonly {
    readonly name: string
    readonly when: Partial<Record<Fact, unknown>>
    readonly then: Recovery
  }[]
}

const file = new URL('../../cases/recover/recover-attempt.yaml', import.meta.url)
const { facts, records, rules }: Cases = parse(readFileSync(file, 'utf8'))
const combinations = allOf(facts)

test.each(rules)('$name', ({ when, then }) => {
  const covered = combinations.filter((one) => holds(when, one))
  expect(covered).not.toEqual([])
  for (const one of covered) expect(recoverAttempt(factsOf(one)), JSON.stringify(one)).toEqual(then)
})

test('exactly one rule holds for each combination of facts', () => {
  const counted = combinations.map((one) => ({
    one,
    rules: rules.filter(({ when }) => holds(when, one)).map(({ name }) => name),
  }))
  expect(counted.filter((each) => each.rules.length !== 1)).toEqual([])
  expect(combinations).toHaveLength(324)
})

function allOf(values: Cases['facts']): Combination[] {
  const entries = Object.entries(values) as [Fact, readonly unknown[]][]
  return entries.reduce<object[]>(
    (made, [fact, choices]) => made.flatMap((one) => choices.map((choice) => ({ ...one, [fact]: choice }))),
    [{}],
  ) as Combination[]
}

function holds(when: Partial<Record<Fact, unknown>>, one: Combination): boolean {
  return (Object.entries(when) as [Fact, unknown][]).every(([fact, wanted]) =>
    Array.isArray(wanted) ? wanted.includes(one[fact]) : wanted === one[fact],
  )
}

function factsOf({ known, safety, cancelled, resumed, reusable }: Combination): RecoveryFacts {
  return {
    known: known === 'nothing' ? undefined : records[known],
    safety,
    isCancelled: cancelled,
    isResumed: resumed,
    reusable: reusable === 'nothing' ? undefined : reusable,
  }
}
