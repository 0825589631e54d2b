import { defineAction, loadRunbook } from 'opsbook'
import { expect, test } from 'vitest'
import { createActions } from '../../src/actions/index.ts'

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

test.each([
  [2000, []],
  [2001, ["UNLISTED_VALUE this has 2001 characters; the service's document allows 2000"]],
])('instructions of %i characters', (length, findings) => {
  const agent = { agent_name: 'a', card_url: 'https://a.example.com', instructions: '😀'.repeat(length) }
  const step = { id: 'a', uses: 'safari/a2a-agent/create', with: agent }
  const text = JSON.stringify({ apiVersion: 'opsbook/v1', name: 'one', steps: [step] })
  const { diagnostics } = loadRunbook(text, createActions())
  expect(diagnostics.map(({ code, message }) => `${code} ${message}`)).toEqual(findings)
})
