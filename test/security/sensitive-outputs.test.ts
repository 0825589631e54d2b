/**
 * The attack is an accident: a step passes on under another name what its action marks as sensitive, and from there it
 * goes into logs, questions, messages, other services and reports.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDesk } from '../cli/support/desk.ts'
import { startReceiver } from '../engine/notifications/receiver.ts'
import { formsIn } from './support/encoded-forms.ts'
import { lookOn, views } from './support/look-on.ts'
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

test('what an action marks as sensitive is masked wherever it travels', async () => {
  const [server, chat] = [await startTellingServer(), await startReceiver()]
  const { service, surroundings, document } = await openDesk(
    { 'opsbook.yaml': notify, 'onboard.yaml': runbook(server.url) },
    { CHAT: chat.url, OPSBOOK_LOG_LEVEL: 'debug' },
  )
  const { texts, codes, play, expectHidden } = lookOn(surroundings)
  await play('run onboard.yaml')
  const { artifacts_dir } = await document('show', 'latest')
  const token = readFileSync(join(artifacts_dir, 'token.txt'), 'utf8').trim()
  expect(token).toMatch(/^\w{35}$/)
  await service.fault({ operation: 'E2', close_after: true })
  await play('resume latest -i ok=true')
  await service.fault()
  await play('decide latest second --as failed --no-resume', 'resume latest', ...views)
  expect(codes).toMatchObject({ 'run onboard.yaml': 1, 'resume latest -i ok=true': 4 })
  const told = JSON.stringify(chat.received)
  expect(told).toContain('hand over (masked)')
  expect(formsIn(told, token)).toEqual([])
  expectHidden(token)
  expect(texts['logs latest']).toContain('say: token (masked)')
  const item = 'name=an item whose name is long, tok=(masked)'
  expect(texts['logs latest']).toContain(`each[0]/inner (${item}): looked`)
})
