/** The attack: secrets that a child runbook gets as a list, and whose items give their names to the items of a loop. */
import { expect, test } from 'vitest'
import { createRunSecrets } from '../../src/actions/run-secrets.ts'
import { newFolder, opsbook } from '../cli/support/opsbook.ts'

const secret = 'ITEMCANARY-31c7d0aa'

const parent = `apiVersion: opsbook/v1
name: parent
inputs: { type: object, required: [given], properties: { given: { type: array, items: { type: string } } } }
steps:
  - { id: child, uses: core/run, with: { runbook: child.yaml, inputs: { keys: "\${{ inputs.given }}" } } }
`
const child = `apiVersion: opsbook/v1
name: child
inputs:
  type: object
  required: [keys]
  properties: { keys: { type: array, items: { type: string, writeOnly: true } } }
steps:
  - id: each
    for-each: { items: "\${{ inputs.keys }}", as: key, tolerate: all }
    uses: core/assert
    with: { that: ["\${{ key == 'x' }}"], message: "not \${{ key }}" }
`

test('items of a loop in a child runbook show no sensitive input', async () => {
  const folder = await newFolder({ 'parent.yaml': parent, 'child.yaml': child })
  const at = ['--data-dir', 'data']
  const run = await opsbook(['run', 'parent.yaml', ...at, '-i', `given=[${secret}]`], { folder })
  expect(run.code, run.stderr).toBe(0)
  const log = await opsbook(['logs', 'latest', ...at], { folder })
  const events = await opsbook(['logs', 'latest', '-o', 'ndjson', ...at], { folder })
  expect(events.stdout).toContain('item_started')
  const seen = { run: run.stdout + run.stderr, log: log.stdout, events: events.stdout }
  // The parent does not mark its input, so its record shows that one.
  for (const [place, text] of Object.entries(seen))
    expect({ place, isShown: text.includes(secret) }).toEqual({ place, isShown: false })
})

test('a short sensitive input spoils no answer', async () => {
  const secrets = createRunSecrets({ resolve: async () => '' }, [], ['4', 'long enough'])
  await secrets.learned()
  expect(secrets.mask.value({ count: 4, text: '4 of long enough' })).toEqual({ count: 4, text: '4 of ***' })
})
