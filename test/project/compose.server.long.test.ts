import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { startSandbox } from 'opsbook/sandbox'
import { beforeAll, expect, inject, it, onTestFinished } from 'vitest'
import { findFreePort } from '../../src/cli/dev/server/start-dev-server.ts'
import { requireBuild, start } from '../cli/support/process.ts'
import { readCompose, readSettings } from '../compose/compose-file.ts'

beforeAll(requireBuild)

const runbook = `apiVersion: opsbook/v1
name: one
steps: [{ id: one, uses: core/set, with: { a: 1 } }]
`

it('the worker and serve of docker-compose.yml give metrics to who asks for them by the name of the service', async () => {
  const sandbox = await startSandbox()
  const folder = mkdtempSync(join(tmpdir(), 'opsbook-compose-'))
  onTestFinished(async () => {
    await sandbox.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const secrets = { POSTGRES_PASSWORD: 'x', OPSBOOK_BASE_URL: sandbox.url, OPSBOOK_APP_KEY: 'sandbox-owner' }
  mkdirSync(join(folder, 'runbooks'))
  writeFileSync(join(folder, 'runbooks/one.yaml'), runbook)
  const { services } = readCompose({ ...readSettings(), ...secrets })
  const here = {
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    OPSBOOK_TASK_QUEUE: `compose-${process.pid}`,
    OPSBOOK_DATA_DIR: join(folder, 'data'),
  }
  for (const { name, port } of [
    { name: 'worker', port: 8081 },
    { name: 'serve', port: 8689 },
  ]) {
    const { command = [], environment } = services[name] ?? expect.fail(name)
    // The ports of the containers can be taken here.
    const free = await findFreePort()
    const translated = command.map((word) =>
      word.replace(`0.0.0.0:${port}`, `0.0.0.0:${free}`).replace('0.0.0.0:8687', '0.0.0.0:0'),
    )
    const env = Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, String(value)]))
    await start(translated, { ...env, ...here }, folder).until('stdout', `${name} ready`)
    const request = get(`http://127.0.0.1:${free}/metrics`, { headers: { host: `${name}:${port}` } })
    const [answer] = (await once(request, 'response')) as [IncomingMessage]
    expect({ name, status: answer.statusCode, body: await text(answer) }).toMatchObject({
      status: 200,
      body: expect.stringContaining('# TYPE'),
    })
  }
}, 120_000)
