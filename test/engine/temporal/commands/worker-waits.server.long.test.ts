import { expect, onTestFinished, test } from 'vitest'
import { findFreePort } from '../../../../src/cli/dev/server/start-dev-server.ts'
import { searchAttributes } from '../../../../src/engine/temporal/messages.ts'
import { opsbook, type RunningCommand } from '../../../cli/support/opsbook.ts'
import { type DevServer, startDevServer } from '../../../support/temporal-server.ts'
import { enginesOfTest } from './open-engines.ts'

const files = {
  'one.yaml': `apiVersion: opsbook/v1
name: one
steps:
  - { id: one, uses: core/set, with: { a: 1 } }
`,
}

test('a worker that starts before its server waits for it, and reports that', async () => {
  const port = await findFreePort()
  const address = `127.0.0.1:${port}`
  const engines = await enginesOfTest(files, { hasWorker: false, address })
  let server: Promise<DevServer> | undefined
  let isReady = (): void => {}
  const ready = new Promise<void>((resolve) => {
    isReady = resolve
  })
  let worker: RunningCommand | undefined
  const ended = opsbook(['worker', '--sandbox'], {
    folder: engines.folder,
    env: engines.env,
    onWrite(text, command) {
      worker = command
      if (text.includes('still waiting for the server')) server ??= startDevServer({ port, searchAttributes })
      if (text.startsWith('worker ready')) isReady()
    },
  })
  await ready
  onTestFinished(async () => (await server)?.stop())
  expect((await engines.temporal(['run', 'one.yaml'])).code).toBe(0)
  worker?.signal('SIGTERM')
  const { code, stderr } = await ended
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringContaining(`no Temporal server answers at ${address}`),
  })
}, 90_000)

test('what no waiting mends ends a worker at once', async () => {
  const engines = await enginesOfTest(files, { hasWorker: false })
  const env = { ...engines.env, TEMPORAL_NAMESPACE: 'nowhere' }
  const { code, stderr } = await opsbook(['worker', '--sandbox'], { folder: engines.folder, env })
  expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringContaining('NamespaceNotFound') })
}, 30_000)
