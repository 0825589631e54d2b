/**
 * The attack: a service returns secrets in every encoding, some that opsbook.yaml names and some that only the answer
 * marks as sensitive. A recording of the run goes into a repository, and may hold none of them.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sendEnvelope } from '../api/stand-in.ts'
import { newFolder, opsbook } from '../cli/support/opsbook.ts'
import { serving } from '../support/listen.ts'
import { encodedForms, formsIn } from './support/encoded-forms.ts'

const canaries = {
  environment: 'ENVCANARY-4b1c9e0d-Qw+/&"x y" <z>',
  output: 'OUTCANARY-"quoted" & 77/ü+9e0d==x',
  input: 'INCANARY\\back 5f3a&/?x=1 "q"',
} as const

/** A service that returns each canary in every encoding, and in a text of 40 KB that ends the cut in the middle of one. */
async function startService(): Promise<string> {
  const all = Object.values(canaries)
  const edge = `${'x'.repeat(16 * 1024 - 8)}${canaries.output}`
  const body = {
    token: canaries.output,
    forms: all.map(encodedForms),
    inNames: Object.fromEntries(all.map((one) => [one, 1])),
    nested: JSON.stringify({ deep: JSON.stringify({ all }) }),
    edge,
    long: 'y'.repeat(40_000),
  }
  return serving((_, response) => sendEnvelope(response, body))
}

const runbook = `apiVersion: opsbook/v1
name: leak
secrets: [key]
inputs:
  type: object
  required: [url, pin, hosts]
  properties: { url: { type: string }, pin: { type: string, writeOnly: true }, hosts: { type: array, items: { type: string } } }
steps:
  - id: look
    uses: core/http
    with: { url: "\${{ inputs.url }}/look", secret-headers: { X-Key: { secret: key } } }
    sensitive: [body.token]
  - id: hosts
    for-each: { items: "\${{ inputs.hosts }}", as: host }
    uses: core/http
    with: { method: POST, url: "\${{ inputs.url }}/at", body: { host: "\${{ host }}", pin: "\${{ inputs.pin }}", token: "\${{ steps.look.outputs.body.token }}" } }
`

test('a recording holds no secret, in no encoding', async () => {
  const url = await startService()
  const folder = await newFolder({
    'opsbook.yaml': 'secrets: { key: env:KEY }\n',
    'leak.yaml': runbook,
    'inputs.json': JSON.stringify({
      url,
      pin: canaries.input,
      hosts: ['web-01.acme.test', 'db-01.acme.test'],
    }),
  })
  const surroundings = { folder, env: { KEY: canaries.environment } }
  const flags = ['--sandbox', '--allow-outside', '--data-dir', 'data', '--inputs-file', 'inputs.json']
  const run = await opsbook(['run', 'leak.yaml', ...flags], surroundings)
  expect(run, run.stderr).toMatchObject({ code: 0 })
  const recorded = await opsbook(
    ['test', 'record', 'latest', '--as', 'leak', '--rename', 'hosts', '--data-dir', 'data'],
    surroundings,
  )
  expect(recorded).toMatchObject({ code: 0, stderr: '' })
  const text = await readFile(join(folder, 'recordings/leak.json'), 'utf8')
  for (const secret of Object.values(canaries)) {
    expect(formsIn(text, secret)).toEqual([])
    expect(text).not.toContain(secret.slice(0, 9))
  }
  expect(text).not.toContain('acme')
  expect(text).toContain('(cut: 40000 bytes)')
  const { inputs, calls } = JSON.parse(text)
  expect(inputs.hosts).toEqual(['hosts-1', 'hosts-2'])
  expect(calls[1].input.body).toMatchObject({
    host: 'hosts-1',
    token: expect.stringMatching(/^sensitive-\d$/),
  })
})
