import { expect, it } from 'vitest'
import { shortError } from '../../../src/core/calls/index.ts'
import { isWellFormed } from '../../../src/core/json.ts'

it('the error of a step keeps the ends of long texts, wherever its details have them', () => {
  const long = `${'😀'.repeat(3000)}the end`
  const details = { status: 1, stderr: long, errors: [{ details: { stdout: long } }], path: '/a' }
  const kept = shortError({ code: 'OutcomeUnknown', message: 'x', details }).details as typeof details
  expect(kept).toMatchObject({ status: 1, path: '/a', errors: [{ details: { stdout: kept.stderr } }] })
  expect([kept.stderr.length, isWellFormed(kept.stderr)]).toEqual([4095, true])
  expect(kept.stderr.endsWith('😀the end')).toBe(true)
  const short = { code: 'CommandFailed', message: 'x' } as const
  expect(shortError(short)).toBe(short)
})
