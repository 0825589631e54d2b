import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startStandIn } from '../api/stand-in.ts'
import { newFolder, opsbook } from './support/opsbook.ts'

const canary = 'canary-2b9e41'

const runbook = `apiVersion: opsbook/v1
name: tell
secrets: [tickets_token]
inputs: { type: object, required: [base], properties: { base: { type: string } } }
steps:
  - id: open
    uses: core/http
    with: { url: "\${{ inputs.base }}/tickets", query: { state: open } }
  - id: tell
    uses: core/http
    with:
      method: POST
      safety: create
      url: \${{ inputs.base }}/tickets
      secret-headers: { Authorization: { secret: tickets_token, prefix: "Bearer " } }
      body: { count: "\${{ size(steps.open.outputs.body.items) }}" }
    retry: { attempts: 3, delay: 1ms }
outputs: { ticket: "\${{ steps.tell.outputs.body.id }}", said: "\${{ steps.tell.outputs.body.said }}" }
`

/** Runs it against a system that answers a POST with this status, and repeats the header that it got. */
async function tell(status: number) {
  const server = await startStandIn(({ method, headers }, response) => {
    response.writeHead(method === 'GET' ? 200 : status, { 'content-type': 'application/json' })
    const answer = { id: 'T-1', said: headers.authorization, message: `no: ${headers.authorization}` }
    response.end(JSON.stringify(method === 'GET' ? { items: [1, 2] } : answer))
  })
  const folder = await newFolder({
    'tell.yaml': runbook,
    'opsbook.yaml': 'secrets: { tickets_token: env:TICKETS }\n',
  })
  const words = [
    'run',
    'tell.yaml',
    '--sandbox',
    '--allow-outside',
    '--data-dir',
    'data',
    '--input',
    `base=${server.baseUrl}`,
  ]
  const result = await opsbook([...words, '--verbose'], { folder, env: { TICKETS: canary } })
  const kept = readdirSync(join(folder, 'data'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
  return { ...result, server, folder, kept: kept.join('\n') }
}

test('a request sends a secret, and nothing that is printed or kept holds it', async () => {
  const { code, stdout, stderr, server, kept } = await tell(201)
  expect(code).toBe(0)
  expect(server.received).toMatchObject([
    { method: 'GET', url: '/tickets?state=open' },
    { method: 'POST', body: '{"count":2}', headers: { authorization: `Bearer ${canary}` } },
  ])
  expect(stdout).toContain('ticket: T-1')
  expect(kept).toContain('tickets_token')
  expect(stdout + stderr + kept).not.toContain(canary)
})

test('a POST that a server failed on is not repeated, and what was only read was not made', async () => {
  const { code, stdout, stderr, server, kept } = await tell(503)
  expect(code).toBe(4)
  expect(server.received).toHaveLength(2)
  expect(stdout).toContain('OutcomeUnknown')
  expect(stdout).not.toContain('Created before the end')
  expect(stdout + stderr + kept).not.toContain(canary)
})

test('the report, the journal and JSON show what was asked and how the answer began', async () => {
  const { folder, stdout } = await tell(503)
  const request = ['request     POST /tickets', 'headers     content-type: application/json']
  const body = 'body        {"id":"T-1","said":"Bearer ***","message":"no: Bearer ***"}'
  const show = (...words: string[]) => opsbook(['show', 'latest', '--data-dir', 'data', ...words], { folder })
  const full = await show('--full')
  for (const text of [stdout, full.stdout])
    for (const line of [...request, body]) expect(text).toContain(line)
  const document = JSON.parse((await show('-o', 'json')).stdout)
  const answer = { method: 'POST', path: '/tickets', status: 503, body: expect.stringContaining('"T-1"') }
  expect(document.error.details.errors).toEqual([
    { code: 'HttpFailed', message: expect.any(String), details: expect.objectContaining(answer) },
  ])
})
