/** The same attacks on a run that goes on on workers: what comes back is looked for in its history, too. */
import { expect, test } from 'vitest'
import { startReceiver } from '../../engine/notifications/receiver.ts'
import { enginesOfTest } from '../../engine/temporal/commands/open-engines.ts'
import { historyTexts } from '../../engine/temporal/support/history-text.ts'
import { formsIn } from '../support/encoded-forms.ts'
import { startTellingServer } from '../support/telling-server.ts'

const secret = 'ENVCANARY-4b1c9e0d-Qw+/&"x y" <z>'

const runbook = (url: string): string => `apiVersion: opsbook/v1
name: leak
secrets: [key]
steps:
  - id: login
    uses: core/http
    with: { url: "${url}/login", secret-headers: { X-Key: { secret: key } } }
  - { id: later, uses: core/http, with: { url: "${url}/forms" } }
  - { id: fails, continue-on-error: true, uses: core/http, with: { url: "${url}/fail", query: { form: "13" } } }
  - id: app
    uses: rum/application/create
    with: { application_name: a, type: browser, team_id: 1 }
    outputs: { tok: "\${{ outputs.client_token }}" }
  - { id: say, uses: core/log, with: { message: "token \${{ steps.app.outputs.tok }}" } }
  - { id: ask, uses: core/approve, with: { message: "hand over \${{ steps.app.outputs.tok }}?", timeout: 1ms } }
`

test('a run on workers shows no secret in any encoding, and nothing sensitive', async () => {
  const [server, chat] = [await startTellingServer(), await startReceiver()]
  const engines = await enginesOfTest(
    { 'leak.yaml': runbook(server.url), 'key.txt': `${secret}\n`, 'chat.url': chat.url },
    {
      more: 'secrets: { key: "file:key.txt" }\nnotify: [{ on: [approval_waiting, run_failed], url: "file:chat.url" }]\n',
    },
  )
  const env = { OPSBOOK_LOG_LEVEL: 'debug' }
  const run = await engines.temporal(['run', 'leak.yaml'], { env })
  expect(run.code).toBe(1)
  expect(server.told()).toBe(secret)
  const runId = /run_\w+/.exec(run.stdout)?.[0] ?? ''
  const shown = await engines.temporal(['show', runId, '--full', '--reveal', '-o', 'json'])
  const { attempts } = JSON.parse(shown.stdout)
  const token: string = attempts.find(({ path }: { path: string }) => path === 'app').output.client_token
  await chat.has(2)
  const seen: Record<string, string> = { run: run.stdout + run.stderr, chat: JSON.stringify(chat.received) }
  // Other tests share the server: `latest` may be a run of theirs.
  for (const line of ['show', 'show --full', 'show --full -o json', 'logs', 'logs -o ndjson', 'watch']) {
    const { stdout, stderr } = await engines.temporal([...line.split(' '), runId])
    seen[line] = stdout + stderr
  }
  for (const [place, text] of Object.entries(seen))
    expect({ place, forms: formsIn(text, token) }).toEqual({ place, forms: [] })
  expect(seen['logs']).toContain('say: token (masked)')
  const client = await engines.client()
  let events = 0
  for await (const text of historyTexts(client, runId)) seen[`event ${++events}`] = text
  expect(events).toBeGreaterThan(10)
  for (const [place, text] of Object.entries({ ...seen, json: shown.stdout }))
    expect({ place, forms: formsIn(text, secret), part: text.includes(secret.slice(0, 14)) }).toEqual({
      place,
      forms: [],
      part: false,
    })
}, 120_000)
