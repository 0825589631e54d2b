/** The ID token of a session reaches the provider once, soon after the log-out, and no one else. */
import { expect, test } from 'vitest'
import { createIdTokens } from '../../src/console/server/auth/id-tokens.ts'

function stage() {
  let now = 0
  const tokens = createIdTokens(() => now)
  return {
    tokens,
    pass: (ms: number) => {
      now += ms
    },
  }
}

test('a token is taken once, by what its release has returned, and not by the secret', () => {
  const { tokens } = stage()
  tokens.keep('secret', 'token', 1000)
  expect(tokens.take('secret')).toBeUndefined()
  const handle = tokens.release('secret') ?? ''
  expect(tokens.release('secret')).toBeUndefined()
  expect(tokens.release(handle)).toBeUndefined()
  expect([tokens.take(handle), tokens.take(handle)]).toEqual(['token', undefined])
})

test.each([
  [59_999, 'token'],
  [60_000, undefined],
])('%d ms after its release, what is taken is %s', (ms, token) => {
  const { tokens, pass } = stage()
  tokens.keep('secret', 'token', 600_000)
  const handle = tokens.release('secret') ?? ''
  pass(ms)
  expect(tokens.take(handle)).toBe(token)
})

test('a token that is over, or too long for a header, is not kept', () => {
  const { tokens, pass } = stage()
  tokens.keep('over', 'token', 1000)
  tokens.keep('long', 'x'.repeat(2501), 600_000)
  pass(1000)
  expect([tokens.release('over'), tokens.release('long')]).toEqual([undefined, undefined])
})

test('of more than 1,000 tokens the oldest goes', () => {
  const { tokens } = stage()
  for (let n = 0; n <= 1000; n++) tokens.keep(`secret ${n}`, `token ${n}`, 600_000)
  expect(tokens.release('secret 0')).toBeUndefined()
  expect(tokens.take(tokens.release('secret 1') ?? '')).toBe('token 1')
})
