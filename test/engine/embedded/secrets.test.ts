import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createActions, missingSecret } from '../../../src/actions/index.ts'
import type { TimedRunEvent } from '../../../src/core/events.ts'
import { startRun } from '../../../src/engine/embedded/index.ts'
import { checkInputs, loadRunbook } from '../../../src/load/index.ts'

const token = 'tok/en+ of=the&desk'
const actions = createActions()
let server: Server
let url: string
let dataDir: string
let received: IncomingHttpHeaders[]

beforeEach(async () => {
  received = []
  server = createServer((request, response) => {
    received.push(request.headers)
    // An echo, as careless services answer.
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ echo: request.headers['authorization'] }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/tickets`
  dataDir = mkdtempSync(join(tmpdir(), 'opsbook-secrets-'))
})
afterEach(() => {
  server.close()
  rmSync(dataDir, { recursive: true })
})

async function start(events: TimedRunEvent[], resolve: (name: string) => Promise<string>) {
  const { plan, diagnostics } = loadRunbook(
    `apiVersion: opsbook/v1
name: test
secrets: [desk_token]
steps:
  - id: look
    uses: core/http
    with: { url: "${url}", secret-headers: { Authorization: { secret: desk_token, prefix: "Bearer " } } }
outputs: { said: "\${{ json(steps.look.outputs.body) }}" }
`,
    actions,
  )
  if (!plan) throw new Error(JSON.stringify(diagnostics))
  return startRun({
    plan,
    inputs: {},
    actions,
    connect: () => Promise.reject(new Error('no operation is called')),
    checkInputs,
    dataDir,
    secrets: { resolve },
    onEvent: (event) => events.push(event),
  })
}

it.each([token, 'h-nter2', 'qzx7'])(
  'gives the secret %j to the request, and keeps it out of the record, the events and the report',
  async (token) => {
    const events: TimedRunEvent[] = []
    const run = await start(events, async () => token)
    const report = await run.result
    expect(report.status, JSON.stringify(report.error)).toBe('succeeded')
    expect(received.map(({ authorization }) => authorization)).toEqual([`Bearer ${token}`])
    const files = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
    expect(files.length).toBeGreaterThan(0)
    const kept = files.map((one) => readFileSync(join(one.parentPath, one.name)).toString('latin1'))
    const everything = [...kept, JSON.stringify(events), JSON.stringify(report)].join('\n')
    const forms = [token, encodeURIComponent(token), Buffer.from(token).toString('base64')]
    for (const form of forms) expect(everything.includes(form), form).toBe(false)
  },
)

it('starts nothing while a secret has no value', async () => {
  const run = start([], () => Promise.reject(missingSecret('DESK_TOKEN is not set')))
  await expect(run).rejects.toMatchObject({ code: 'MissingSecret' })
  expect(received).toEqual([])
})

it('starts nothing while a secret is too short to be hidden', async () => {
  const run = start([], async () => 'abc')
  await expect(run).rejects.toMatchObject({
    code: 'MissingSecret',
    message: expect.stringContaining('"desk_token" has fewer than 4 characters'),
  })
  expect(received).toEqual([])
})
