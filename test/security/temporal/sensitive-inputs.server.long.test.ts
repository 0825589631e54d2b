/** The attack: a secret that comes as an input, and is looked for in everything that a run shows or leaves. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { startReceiver } from '../../engine/notifications/receiver.ts'
import { enginesOfTest } from '../../engine/temporal/commands/open-engines.ts'
import { formsIn } from '../support/encoded-forms.ts'
import { startTellingServer } from '../support/telling-server.ts'

const token = 'INPUTCANARY-7f3a9c2e-Qw+/'
const password = 'PASSCANARY-55aa-zz'

const runbook = (url: string): string => `apiVersion: opsbook/v1
name: inputs
title: Inputs
inputs:
  type: object
  required: [token, login, note]
  properties:
    token: { type: string, writeOnly: true, minLength: 10 }
    note: { type: string }
    login:
      type: object
      required: [user, password]
      properties: { user: { type: string }, password: { type: string, format: password } }
steps:
  - { id: say, uses: core/log, with: { message: "for \${{ inputs.note }}: \${{ inputs.token }}" } }
  - { id: set, uses: core/set, with: { all: "\${{ inputs.login }}" } }
  - { id: tell, uses: core/http, with: { url: "${url}/login", query: { key: "\${{ inputs.token }}" } } }
  - { id: later, uses: core/http, with: { url: "${url}/forms" } }
  - { id: fails, continue-on-error: true, uses: core/http, with: { url: "${url}/fail", query: { form: "1" } } }
  - { id: no, if: "\${{ inputs.token == 'x' }}", uses: core/set, with: { a: 1 } }
  - { id: app, uses: rum/application/create, with: { application_name: "\${{ inputs.token }}", type: browser, team_id: 1 } }
  - { id: file, uses: core/write, save-as: file.txt, with: { content: "\${{ inputs.token }}" } }
  - id: check
    continue-on-error: true
    uses: core/assert
    with: { that: ["\${{ inputs.note == 'x' }}"], message: "not \${{ inputs.login.password }}" }
  - { id: ask, uses: core/approve, with: { message: "hand over \${{ inputs.token }}?", timeout: 1ms } }
`
const files = {
  'inputs.json': JSON.stringify({ token, login: { user: 'ada', password }, note: 'the notes' }),
}

function shownIn(text: string): readonly string[] {
  return [...formsIn(text, token), ...(text.includes(password) ? ['password'] : [])]
}

test.each(['embedded', 'temporal'] as const)(
  'an input that is marked sensitive is shown nowhere: %s',
  async (kind) => {
    const [server, chat] = [await startTellingServer(), await startReceiver()]
    const engines = await enginesOfTest(
      { ...files, 'inputs.yaml': runbook(server.url), 'chat.url': chat.url },
      { more: 'notify: [{ on: [approval_waiting, run_failed], url: "file:chat.url" }]\n' },
    )
    const command = engines[kind]
    const run = await command(['run', 'inputs.yaml', '--inputs-file', 'inputs.json', '--reveal'], {
      env: { OPSBOOK_LOG_LEVEL: 'debug' },
    })
    expect(run.code, run.stderr).toBe(1)
    expect(server.told()).toBe(token)
    const runId = /run_\w+/.exec(run.stdout)?.[0] ?? ''
    await chat.has(2)
    const seen: Record<string, string> = { run: run.stdout + run.stderr, chat: JSON.stringify(chat.received) }
    const lines = [
      'show',
      'show --full',
      'show -o json --full',
      'show --reveal',
      'logs',
      'logs -o ndjson --reveal',
      'watch',
    ]
    for (const line of lines) {
      const { stdout, stderr } = await command([...line.split(' '), runId])
      seen[line] = stdout + stderr
    }
    seen['runs'] = (await command(['runs', '--runbook', 'inputs', '-o', 'json'])).stdout
    for (const output of ['text', 'json'])
      seen[`plan ${output}`] = (
        await command(['plan', 'inputs.yaml', '--inputs-file', 'inputs.json', '-o', output])
      ).stdout
    if (kind === 'temporal') {
      const client = await engines.client()
      seen['memo'] = JSON.stringify((await client.workflow.getHandle(runId).describe()).memo)
    }
    for (const [place, text] of Object.entries(seen)) {
      expect(text, place).not.toBe('')
      expect({ place, shown: shownIn(text) }).toEqual({ place, shown: [] })
    }
    expect(seen['logs']).toContain('say: for the notes: (masked)')
    expect(JSON.parse(seen['show -o json --full'] ?? '')).toMatchObject({
      inputs: { token: '(masked)', login: { user: 'ada', password: '(masked)' }, note: 'the notes' },
    })
    // A file holds what the runbook puts there.
    expect(readFileSync(`${engines.folder}/data/runs/${runId}/file.txt`, 'utf8')).toBe(token)
  },
  120_000,
)

test('what is wrong with such an input does not quote it', async () => {
  const engines = await enginesOfTest(
    { ...files, 'inputs.yaml': runbook('http://127.0.0.1:1') },
    { hasWorker: false },
  )
  const words = ['-i', 'note=n', '-i', `login={user: ada, password: [${password}]}`, '-i', 'token=canary-1']
  const { code, stderr } = await engines.embedded(['run', 'inputs.yaml', ...words])
  expect(code).toBe(2)
  expect(stderr).toContain('token')
  expect(stderr).not.toMatch(/canary-1|PASSCANARY/)
})
