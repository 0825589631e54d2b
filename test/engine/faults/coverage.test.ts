import { operations } from 'opsbook/api'
import { expect, it } from 'vitest'
import { codes } from '../../../src/sandbox/codes.ts'
import { kindNames } from '../../../src/sandbox/fault-rule.ts'
import { faultCases, trialsOf } from './fault-case.ts'

const trials = faultCases.flatMap(trialsOf)
const ids = Object.values(operations).map(({ id }) => id)

/** Faults of one operation's own kind of answer. */
const fitsOnly: Readonly<Record<string, readonly string[]>> = {
  truncated_stream: ['E6'],
  slow_stream: ['E6'],
  target_error: ['E4', 'catalog'],
  tool_error: ['E4'],
}

it.each([...kindNames, 'delay_ms'])('%s is tried on each operation that it fits', (kind) => {
  const tried = trials.filter(({ rules }) => rules.some((rule) => rule[kind] !== undefined))
  const wanted = fitsOnly[kind] ?? ids
  expect([...new Set(tried.map(({ operation }) => operation))].sort()).toEqual([...wanted].sort())
})

it.each(Object.keys(codes))('the code %s is tried on each operation', (code) => {
  const tried = trials.filter(({ rules }) => rules.some(({ error }) => error === code))
  expect(new Set(tried.map(({ operation }) => operation))).toEqual(new Set(ids))
})

it('every trial has a name of its own', () => {
  const names = trials.map(({ name, row }) => `${row.fault}: ${name}`)
  expect(names).toEqual([...new Set(names)])
})
