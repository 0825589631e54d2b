import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { startSandbox } from 'opsbook/sandbox'
import { beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { findFreePort } from '../../../src/cli/dev/server/start-dev-server.ts'
import { searchAttributes } from '../../../src/engine/temporal/index.ts'
import { type Running, requireBuild, start, startProgram } from '../../cli/support/process.ts'
import { signedCertificate } from '../../support/signed-certificate.ts'
import { startDevServer } from '../../support/temporal-server.ts'

beforeAll(requireBuild)

const runbook = `apiVersion: opsbook/v1
name: look
steps:
  - id: look
    uses: rum/application/infos
    with: { application_ids: [CheckoutWebSandboxApp1] }
`

type Env = Readonly<Record<string, string>>

interface Project {
  readonly folder: string
  readonly env: Env
  /** Starts one of the programs, with its health on a free port. */
  program(name: string, more?: Env): Promise<Running>
}

let projects = 0

async function openProject(address: string): Promise<Project> {
  const folder = mkdtempSync(join(tmpdir(), 'opsbook-programs-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'look.yaml'), runbook)
  const env = {
    TEMPORAL_ADDRESS: address,
    OPSBOOK_TASK_QUEUE: `programs-${process.pid}-${++projects}`,
    OPSBOOK_DATA_DIR: join(folder, 'data'),
    OPSBOOK_HEALTH_HOST: '127.0.0.1',
  }
  return {
    folder,
    env,
    async program(name, more = {}) {
      const OPSBOOK_HEALTH_PORT = String(await findFreePort())
      return startProgram(`workers/${name}.mjs`, [], { ...env, OPSBOOK_HEALTH_PORT, ...more }, folder)
    },
  }
}

/** The connection of a service, which only those that call it get. */
async function openService(): Promise<Env> {
  const sandbox = await startSandbox()
  onTestFinished(() => sandbox.close())
  return { OPSBOOK_BASE_URL: sandbox.url, OPSBOOK_APP_KEY: 'sandbox-owner' }
}

/** A server that takes TLS and is the one of all tests behind it. */
async function startTls(): Promise<string> {
  const [host = '', port = ''] = inject('temporalAddress').split(':')
  const server = createServer({ ...signedCertificate, ALPNProtocols: ['h2'] }, (socket) => {
    const behind = connect(Number(port), host)
    socket.on('error', () => behind.destroy()).pipe(behind)
    behind.on('error', () => socket.destroy()).pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Has the workers of a project run the runbook. */
async function runOnce({ env, folder }: Project, more: Env = {}): Promise<void> {
  const words = ['run', 'look.yaml', '--engine', 'temporal', '--output', 'json']
  const { code, stderr } = await start(words, { ...env, ...more }, folder).ended
  expect({ code, stderr }).toMatchObject({ code: 0 })
}

/** Stops a program, which then ends as `opsbook worker` does. */
async function stop({ child, ended }: Running): Promise<void> {
  child.kill('SIGTERM')
  expect((await ended).code).toBe(0)
}

describe.each(['both', 'calls', 'runs'])('workers/%s.mjs', (name) => {
  it('waits for its server, and is ready once the server is there', async () => {
    const port = await findFreePort()
    const project = await openProject(`127.0.0.1:${port}`)
    const running = await project.program(name, name === 'runs' ? {} : await openService())
    await running.until('stderr', 'still waiting for the server')
    const server = await startDevServer({ port, searchAttributes })
    onTestFinished(() => server.stop())
    await running.until('stdout', 'worker ready')
    const { OPSBOOK_HEALTH_PORT: health } = running.env
    await expect.poll(async () => (await fetch(`http://127.0.0.1:${health}/readyz`)).status).toBe(200)
    await stop(running)
  }, 120_000)

  it('is ready behind TLS', async () => {
    const project = await openProject(await startTls())
    const ca = join(project.folder, 'ca.pem')
    writeFileSync(ca, signedCertificate.authority)
    const more = name === 'runs' ? {} : await openService()
    const running = await project.program(name, { ...more, TEMPORAL_TLS_SERVER_CA_CERT_PATH: ca })
    await running.until('stdout', 'worker ready')
    running.child.kill('SIGTERM')
    expect(await running.ended).toMatchObject({ code: 0, stderr: expect.not.stringContaining('DEP0123') })
  }, 120_000)
})

it('the programs for runs and for calls share the work of a queue: only the second one knows the service', async () => {
  const project = await openProject(inject('temporalAddress'))
  const service = await openService()
  const running = [await project.program('runs'), await project.program('calls', service)]
  for (const one of running) await one.until('stdout', 'worker ready')
  await runOnce(project, service)
  for (const one of running) await stop(one)
}, 120_000)

it('does not wait for a server that it cannot trust', async () => {
  const project = await openProject(await startTls())
  const running = await project.program('runs', { TEMPORAL_TLS: 'true' })
  expect(await running.ended).toMatchObject({
    code: 5,
    stderr: expect.stringMatching(/TemporalTlsFailed: .*\n +next +Set TEMPORAL_TLS_SERVER_CA_CERT_PATH/),
  })
}, 60_000)
