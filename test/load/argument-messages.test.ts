import { defineAction, loadRunbook } from 'opsbook'
import { expect, test } from 'vitest'

const rotate = defineAction({
  name: 'acme/api-keys/rotate',
  summary: 'Rotate a key of the runbook',
  safety: 'idempotent',
  input: {
    type: 'object',
    required: ['api_key'],
    properties: { api_key: { type: 'string' } },
    additionalProperties: false,
  },
  output: { type: 'object' },
  run: async () => ({}),
})

test.each([
  ['{}', 'acme/api-keys/rotate needs the argument "api_key"'],
  ['{ api_key: a, the_runbook: b }', 'there is no argument "the_runbook" in acme/api-keys/rotate'],
])('with: %s says of the action, by its name: %s', (given, message) => {
  const text = `apiVersion: opsbook/v1\nname: one\nsteps:\n  - { id: a, uses: acme/api-keys/rotate, with: ${given} }\n`
  const { diagnostics } = loadRunbook(text, [rotate])
  expect(diagnostics.map((one) => one.message)).toEqual([message])
})
