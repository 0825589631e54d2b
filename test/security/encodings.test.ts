/**
 * The attack: one step sends a secret to a service, which returns it to another step that does not name it. It does so in
 * every encoding: in values, in names, in headers, in messages of failures. No output may show it.
 */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder, opsbook } from '../cli/support/opsbook.ts'
import { startReceiver } from '../engine/notifications/receiver.ts'
import { encodedForms, formsIn } from './support/encoded-forms.ts'
import { keptTexts } from './support/kept-texts.ts'
import { lookOn, views } from './support/look-on.ts'
import { startTellingServer } from './support/telling-server.ts'

const secret = 'ENVCANARY-4b1c9e0d-Qw+/&"x y" <z>'
const forms = Object.keys(encodedForms(secret))

const configuration = `secrets: { key: env:KEY }
notify: [{ on: [approval_waiting, run_failed], url: env:CHAT }]
`

const runbook = (url: string): string => `apiVersion: opsbook/v1
name: leak
secrets: [key]
steps:
  - id: login
    uses: core/http
    with: { url: "${url}/login", secret-headers: { X-Key: { secret: key } } }
  - { id: later, uses: core/http, with: { url: "${url}/forms" } }
  - { id: say, uses: core/log, with: { message: "\${{ string(steps.later.outputs.body.all) }}" } }
  - { id: file, uses: core/write, with: { content: "\${{ steps.later.outputs }}" }, save-as: got.json }
  - id: named
    continue-on-error: true
    uses: core/write
    with: { content: x }
    save-as: "\${{ steps.later.outputs.body.forms['hex'] }}.txt"
  - id: fails
    for-each: { items: [${forms.map((_, at) => at)}], as: form, tolerate: all }
    uses: core/http
    with: { url: "${url}/fail", query: { form: "\${{ string(form) }}" } }
  - id: ask
    uses: core/approve
    with: { message: "\${{ steps.later.outputs.body.all }}?", timeout: 1ms }
`

test('a secret of one step is in nothing that another one brings back, in no encoding', async () => {
  const [server, chat] = [await startTellingServer(), await startReceiver()]
  const folder = await newFolder({ 'opsbook.yaml': configuration, 'leak.yaml': runbook(server.url) })
  const surroundings = { folder, env: { KEY: secret, CHAT: chat.url, OPSBOOK_LOG_LEVEL: 'debug' } }
  const { texts, codes, play } = lookOn(surroundings)
  for (const output of ['text', 'json', 'ndjson']) {
    const line = `run leak.yaml --sandbox --allow-outside -o ${output}`
    await play(line)
    expect(codes[line]).toBe(1)
  }
  expect(server.told()).toBe(secret)
  await play(...views)
  expect(chat.received.length).toBeGreaterThan(3)
  const kept = keptTexts(join(folder, 'data'))
  expect(Object.keys(kept).some((path) => path.endsWith('got.json'))).toBe(true)
  for (const [place, text] of Object.entries({ ...texts, ...kept, chat: JSON.stringify(chat.received) }))
    expect({ place, forms: formsIn(text, secret), part: text.includes(secret.slice(0, 14)) }).toEqual({
      place,
      forms: [],
      part: false,
    })
  expect(texts['logs latest']).toContain('***')
})

test.each(['plain', 'hex', 'base64url at 0', 'base32 at 0'])(
  'no file is named after it: %s',
  async (form) => {
    const word = 'ENVCANARY-4b1c9e0d-Qw'
    const text = `apiVersion: opsbook/v1
name: named
inputs: { type: object, required: [name], properties: { name: { type: string } } }
steps:
  - { id: file, uses: core/write, with: { content: x }, save-as: "\${{ inputs.name }}.txt" }
`
    const folder = await newFolder({ 'opsbook.yaml': configuration, 'named.yaml': text })
    const name = encodedForms(word)[form] ?? ''
    const { code, stderr, stdout } = await opsbook(
      ['run', 'named.yaml', '--sandbox', '--allow-outside', '--data-dir', 'data', '--input', `name=${name}`],
      { folder, env: { KEY: word, CHAT: 'http://127.0.0.1:1/x-y-z-1-2-3' } },
    )
    expect(code).toBe(1)
    expect(stdout).toContain('save-as "***.txt" contains a secret')
    expect(formsIn(stdout + stderr, word)).toEqual([])
    expect(Object.keys(keptTexts(join(folder, 'data'))).join()).not.toContain(name)
  },
)
