/** Connections are those of the workers: no history holds what they log in with. */
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { startStandIn } from '../../api/stand-in.ts'
import { enginesOfTest } from '../../engine/temporal/commands/open-engines.ts'
import { historyTexts } from '../../engine/temporal/support/history-text.ts'

const runbook = `apiVersion: opsbook/v1
name: look
steps:
  - id: runs
    uses: core/http
    connection: tickets
    with: { path: "/a/\${{ run.name + '/b' }}" }
  - { id: tell, uses: core/http, connection: chat, with: { method: POST, safety: create, body: { text: done } } }
  - { id: typed, uses: desk/get-item, with: { id: a/b } }
outputs: { typed: "\${{ steps.typed.outputs.body.said }}", said: "\${{ steps.runs.outputs.body }}", told: "\${{ steps.tell.outputs.body }}" }
`

const api = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'Desk', version: '1' },
  paths: {
    '/items/{id}': {
      get: {
        operationId: 'getItem',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        responses: {
          200: {
            description: 'ok',
            content: {
              'application/json': { schema: { type: 'object', properties: { said: { type: 'string' } } } },
            },
          },
        },
      },
    },
  },
})
const pin = createHash('sha256').update(api).digest('hex')

test('a run on workers logs in with a token that no history holds', async () => {
  const server = await startStandIn(({ url, headers }, response) => {
    const isToken = url === '/token'
    response.writeHead(200, { 'content-type': 'application/json' })
    const said = `${url} ${headers.authorization}`
    response.end(JSON.stringify(isToken ? { access_token: 'canary-of-the-token-5' } : { said }))
  })
  const engines = await enginesOfTest(
    {
      'look.yaml': runbook,
      'key.txt': 'canary-of-the-client\n',
      'desk.json': api,
      'chat.url': `${server.baseUrl}/hooks/canary-chat`,
    },
    {
      more: `connections:
  tickets: { type: http, base-url: "${server.baseUrl}", auth: { type: oauth2, token-url: "${server.baseUrl}/token", client-id: me, client-secret: "file:key.txt" }, limits: { per-second: 5 } }
  chat: { type: http, base-url: "file:chat.url" }
apis: { desk: { openapi: desk.json, sha256: ${pin}, connection: tickets, operations: { getItem: { safety: read } } } }
`,
    },
  )
  const run = await engines.temporal(['run', 'look.yaml'])
  expect({ code: run.code, stderr: run.stderr }).toMatchObject({ code: 0 })
  expect(server.received).toMatchObject([
    { url: '/token', body: 'grant_type=client_credentials' },
    { url: '/a/look%2Fb', headers: { authorization: 'Bearer canary-of-the-token-5' } },
    { url: '/hooks/canary-chat', body: '{"text":"done"}' },
    { url: '/items/a%2Fb', headers: { authorization: 'Bearer canary-of-the-token-5' } },
  ])
  const runId = /run_\w+/.exec(run.stdout)?.[0] ?? ''
  const seen = [run.stdout + run.stderr, (await engines.temporal(['show', runId, '--full'])).stdout]
  const client = await engines.client()
  for await (const text of historyTexts(client, runId)) seen.push(text)
  expect(seen.length).toBeGreaterThan(10)
  expect(seen.join('\n')).not.toMatch(/canary/)
}, 120_000)
