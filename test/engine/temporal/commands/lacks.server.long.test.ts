import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import http2 from 'node:http2'
import { type AddressInfo, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { selfSigned } from '../../../api/self-signed.ts'
import { startDevServer } from '../../../support/temporal-server.ts'
import { enginesOfFile } from './open-engines.ts'

const head = 'apiVersion: opsbook/v1\n'
const files = {
  'one.yaml': `${head}name: one\nsteps:\n  - { id: one, uses: core/set, with: { a: 1 } }\n`,
  'takes.yaml': `${head}name: takes
inputs: { type: object, properties: { text: { type: string } } }
steps:
  - { id: one, uses: core/set, with: { a: 1 } }
`,
}

const engines = enginesOfFile(files, { hasWorker: false })

async function startTlsServer(): Promise<string> {
  const server = http2.createSecureServer(selfSigned).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

test.each<[string, () => Promise<Record<string, string>>, RegExp, RegExp]>([
  [
    'an address where nothing listens',
    async () => ({ TEMPORAL_ADDRESS: '127.0.0.1:9' }),
    /TemporalUnavailable: .*127\.0\.0\.1:9 .*ECONNREFUSED/,
    /next +Name a running server in TEMPORAL_ADDRESS/,
  ],
  [
    'an address that is none',
    async () => ({ TEMPORAL_ADDRESS: 'http://127.0.0.1' }),
    /TemporalUnavailable: .*Invalid address/,
    /next/,
  ],
  [
    'a namespace that is not there',
    async () => ({ TEMPORAL_NAMESPACE: 'nowhere' }),
    /NamespaceNotFound: .* has no namespace "nowhere"/,
    /temporal operator namespace create/,
  ],
  [
    'TLS where there is none',
    async () => ({ TEMPORAL_TLS: 'true' }),
    /TemporalTlsFailed: .*it does not speak TLS there/,
    /next +Name the port for TLS in TEMPORAL_ADDRESS/,
  ],
  [
    'no TLS where there is',
    async () => ({ TEMPORAL_ADDRESS: await startTlsServer() }),
    /TemporalUnavailable: .*\(without TLS\): it ends the connection/,
    /next +If it does, set TEMPORAL_TLS=true/,
  ],
  [
    'an untrusted certificate',
    async () => ({ TEMPORAL_ADDRESS: await startTlsServer(), TEMPORAL_TLS: 'true' }),
    /TemporalTlsFailed: .*an authority that this machine does not trust/,
    /next +Set TEMPORAL_TLS_SERVER_CA_CERT_PATH/,
  ],
  [
    'a certificate file that is not there',
    async () => ({ TEMPORAL_TLS_SERVER_CA_CERT_PATH: '/nothing/here.pem' }),
    /the configuration of Temporal cannot be used: ENOENT/,
    /check the TEMPORAL_ variables/,
  ],
  [
    'a word for TLS that is no switch',
    async () => ({ TEMPORAL_TLS: 'yes' }),
    /TEMPORAL_TLS is neither true nor false: "yes"/,
    /set it to true or 1/,
  ],
  [
    'TLS in capitals where there is none',
    async () => ({ TEMPORAL_TLS: 'TRUE' }),
    /it does not speak TLS there/,
    /next/,
  ],
])('%s', async (_, surroundings, message, next) => {
  const { code, stdout, stderr } = await engines.temporal(['runs'], { env: await surroundings() })
  expect({ code, stdout }).toEqual({ code: 5, stdout: '' })
  expect(stderr).toMatch(message)
  expect(stderr).toMatch(next)
  expect(stderr).not.toMatch(/\n +at /)
})

test('a plan that the server would not take is refused before it is started', async () => {
  // What repeats itself would be small enough once it is packed.
  const text = `text=${randomBytes(2_500_000).toString('base64')}`
  const { code, stderr } = await engines.temporal(['start', 'takes.yaml', '--input', text])
  expect(code).toBe(5)
  expect(stderr).toMatch(/PlanTooLarge: .*nothing was started/)
})

test('a namespace without search attributes is named, and set up', async () => {
  const server = await startDevServer()
  onTestFinished(() => server.stop())
  const env = { TEMPORAL_ADDRESS: server.address }
  const refused = await engines.temporal(['start', 'one.yaml'], { env })
  expect(refused.code).toBe(5)
  expect(refused.stderr).toMatch(/SearchAttributesMissing: .*Opsbook/)
  expect(refused.stderr).toContain('opsbook temporal setup')
  const checked = await engines.temporal(['doctor', '--sandbox'], { env })
  expect(checked.stdout).toMatch(
    /fail +search attributes +missing: OpsbookRunbook, OpsbookStatus, OpsbookLabels/,
  )
  const set = await engines.temporal(['temporal', 'setup'], { env })
  expect(set).toMatchObject({ code: 0 })
  expect(set.stdout).toContain('registered OpsbookRunbook')
  expect((await engines.temporal(['temporal', 'setup'], { env })).stdout).toContain(
    'has all search attributes',
  )
  expect((await engines.temporal(['start', 'one.yaml'], { env })).code).toBe(0)
}, 120_000)

test('that no worker is running is said, and not waited for in silence', async () => {
  const started = await engines.temporal(['start', 'one.yaml'])
  expect(started.code).toBe(0)
  expect(started.stderr).toContain('warning: no worker is running: no worker polls the task queue')
  const id = started.stdout.trim()
  // The list of the server lags behind.
  await expect.poll(async () => (await engines.temporal(['runs', '-o', 'json'])).stdout).toContain(id)
  for (const words of [
    ['show', id],
    ['approve', id, 'one'],
    ['cancel', id],
    ['pause', id],
  ]) {
    const { code, stderr } = await engines.temporal(words)
    expect({ words, code, stderr }).toMatchObject({ code: 5 })
    expect(stderr).toMatch(/NoWorker: no worker is running.*\n +next +Start one, `opsbook worker`/)
  }
  const takes = await engines.temporal(['start', 'takes.yaml', '-i', 'text=hello'])
  const shown = await engines.temporal(['show', takes.stdout.trim()])
  expect(shown.code).toBe(5)
  expect(shown.stdout).toContain(`takes was last running  ${takes.stdout.trim()}\nNo worker answers for it: `)
  expect(shown.stdout).toContain('\n    text: hello\n')
  const document = await engines.temporal(['show', takes.stdout.trim(), '-o', 'json'])
  expect(document).toMatchObject({ code: 5, stdout: expect.not.stringContaining('last running') })
  const watched = await engines.temporal(['run', 'one.yaml'], {
    onWrite(text, command) {
      if (text.includes('no worker is running')) command.signal('SIGINT')
    },
  })
  expect(watched.code).toBe(130)
  expect(watched.stderr.match(/no worker is running/g)).toHaveLength(1)
})

test('doctor checks the server, and reports that no worker is running', async () => {
  const { code, stdout } = await engines.temporal(['doctor', '--sandbox'])
  expect(code).toBe(5)
  expect(stdout).toMatch(/ok +temporal +"default" at .* answers/)
  expect(stdout).toMatch(/ok +search attributes +all registered/)
  expect(stdout).toMatch(/fail +workers +no worker polls the task queue/)
})

test('doctor does not miss a connection that only workers need', async () => {
  const { stdout } = await engines.temporal(['doctor'])
  expect(stdout).toMatch(/warn +connection +no connection to the service is configured: only workers need it/)
  const asked = await engines.temporal(['doctor', '--connection', 'production'])
  expect(asked.stdout).toMatch(/fail +connection/)
})

test('a worker whose address is in use takes no work', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const { code, stdout, stderr } = await engines.temporal(['worker', '--sandbox', '--listen', address])
  expect({ code, stdout }).toEqual({ code: 5, stdout: '' })
  expect(stderr).toContain(`error: --listen: ${address} is in use`)
})
