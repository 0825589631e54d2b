/**
 * The attack is an accident: a step passes on under another name what its action marks as sensitive, and from there it
 * goes into logs, questions, messages, other services and reports.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type CommandResult, newFolder, opsbook } from '../cli/support/opsbook.ts'
import { startService } from '../cli/support/service.ts'
import { startReceiver } from '../engine/notifications/receiver.ts'
import { formsIn } from './support/encoded-forms.ts'
import { startTellingServer } from './support/telling-server.ts'

const notify =
  'notify: [{ on: [approval_waiting, run_failed, outcome_unknown], url: env:CHAT, format: slack }]\n'

const runbook = (url: string): string => `apiVersion: opsbook/v1
name: onboard
inputs: { type: object, properties: { ok: { type: boolean, default: false } } }
steps:
  - id: app
    uses: rum/application/create
    with: { application_name: a, type: browser, team_id: 1 }
    outputs: { id: "\${{ outputs.application_id }}", tok: "\${{ outputs.client_token }}" }
  - { id: say, uses: core/log, with: { message: "token \${{ steps.app.outputs.tok }}" } }
  - id: each
    for-each: { items: [{ name: an item whose name is long, tok: "\${{ steps.app.outputs.tok }}" }] }
    steps: [{ id: inner, uses: core/log, with: { message: looked } }]
  - { id: echo, uses: core/http, with: { url: "${url}/forms", query: { key: "\${{ steps.app.outputs.tok }}" } } }
  - { id: all, uses: core/log, with: { message: "\${{ steps.echo.outputs.body.all }}" } }
  - { id: keep, uses: core/write, with: { content: "\${{ steps.app.outputs.tok }}" }, save-as: token.txt }
  - id: ask
    if: \${{ !inputs.ok }}
    uses: core/approve
    with: { message: "hand over \${{ steps.app.outputs.tok }}, \${{ steps.echo.outputs.body.all }}?", timeout: 1ms }
  - { id: sure, uses: core/assert, with: { that: ["\${{ inputs.ok }}"], message: "no \${{ steps.app.outputs.tok }}" } }
  - id: second
    uses: rum/application/create
    with: { application_name: b, type: browser, team_id: 1 }
outputs: { t: "\${{ steps.app.outputs.tok }}", all: "\${{ steps.echo.outputs.body.forms }}" }
`

/** Runs, resumes and decides, and looks on in every way. */
async function play(): Promise<Readonly<Record<string, CommandResult>> & { token: string; chat: string }> {
  const [service, server, chat] = [await startService(), await startTellingServer(), await startReceiver()]
  const folder = await newFolder({ 'opsbook.yaml': notify, 'onboard.yaml': runbook(server.url) })
  const surroundings = { folder, env: { ...service.env(), CHAT: chat.url, OPSBOOK_LOG_LEVEL: 'debug' } }
  const seen: Record<string, CommandResult> = {}
  const command = async (line: string): Promise<void> => {
    seen[line] = await opsbook([...line.split(' '), '--data-dir', 'data'], surroundings)
  }
  await command('run onboard.yaml')
  const { artifacts_dir } = JSON.parse(
    (await opsbook(['show', 'latest', '-o', 'json', '--data-dir', 'data'], surroundings)).stdout,
  )
  const token = readFileSync(join(artifacts_dir, 'token.txt'), 'utf8').trim()
  await service.fault({ operation: 'E2', close_after: true })
  await command('resume latest -i ok=true')
  await service.fault()
  await command('decide latest second --as failed --no-resume')
  await command('resume latest')
  for (const line of [
    'show latest',
    'show latest --full',
    'show latest --full -o json',
    'logs latest',
    'logs latest -o ndjson',
    'watch latest',
  ])
    await command(line)
  return { ...seen, token, chat: JSON.stringify(chat.received) } as never
}

test('what an action marks as sensitive is masked wherever it travels', async () => {
  const { token, chat, ...seen } = await play()
  expect(token).toMatch(/^\w{35}$/)
  expect(seen['run onboard.yaml']?.code).toBe(1)
  expect(seen['resume latest -i ok=true']?.code).toBe(4)
  expect(chat).toContain('hand over (masked)')
  expect(formsIn(chat, token)).toEqual([])
  for (const [line, { stdout, stderr }] of Object.entries(seen as Record<string, CommandResult>))
    expect({ line, forms: formsIn(stdout + stderr, token) }).toEqual({ line, forms: [] })
  expect(seen['logs latest']?.stdout).toContain('say: token (masked)')
  const item = 'name=an item whose name is long, tok=(masked)'
  expect(seen['logs latest']?.stdout).toContain(`each[0]/inner (${item}): looked`)
})
