import { expect, test } from 'vitest'
import { checkInputs } from '../../src/load/inputs/check-inputs.ts'

const inputs = {
  type: 'object',
  properties: {
    login: {
      type: 'object',
      writeOnly: true,
      properties: { user: { type: 'string' } },
      additionalProperties: { type: 'number' },
    },
    closed: { type: 'object', writeOnly: true, additionalProperties: false },
  },
}

test.each([
  [
    { closed: { s3cret: 1 } },
    { path: 'closed', message: '"closed" holds a key that does not fit its schema' },
  ],
  [
    { login: { s3cret: 'x' } },
    { path: 'login', message: '"login" holds a key that does not fit its schema' },
  ],
  [{ login: { user: 1 } }, { path: 'login.user', message: expect.stringContaining('must be') }],
])('a problem quotes no key of a sensitive input that the schema does not have: %j', (given, problem) => {
  const { problems } = checkInputs({ name: 'test', inputs }, given)
  expect(problems).toEqual([problem])
  expect(JSON.stringify(problems)).not.toContain('s3cret')
})
