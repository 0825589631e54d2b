import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client, Connection } from '@temporalio/client'
import { createActions, defineAction, loadRunbook, type Plan } from 'opsbook'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { sendControlRequest } from '../../../src/engine/temporal/client/control-run.ts'
import { createCodec } from '../../../src/engine/temporal/codec/create-codec.ts'
import { readPayloadKeys } from '../../../src/engine/temporal/codec/read-keys.ts'
import { beginRun, connectClient } from '../../../src/engine/temporal/index.ts'
import { systemUserNamed } from '../../support/identity.ts'
import { type Engines, openEngines } from './commands/open-engines.ts'

const files = {
  'ask.yaml': `apiVersion: opsbook/v1
name: ask
steps:
  - { id: ask, uses: core/approve, with: { message: "go on?" } }
  - { id: then, uses: core/set, with: { a: 1 } }
finally:
  - { id: bye, uses: core/log, with: { message: bye } }
`,
  'create.yaml': `apiVersion: opsbook/v1
name: create
inputs: { type: object, required: [url], properties: { url: { type: string } } }
steps:
  - { id: make, uses: core/http, attempt-timeout: 60s, with: { method: POST, url: "\${{ inputs.url }}" } }
`,
}

let engines: Engines
let client: Awaited<ReturnType<typeof connectClient>>

beforeAll(async () => {
  engines = await openEngines(files)
  const address = engines.env['TEMPORAL_ADDRESS'] ?? ''
  client = await connectClient({ address, namespace: 'default', taskQueue: 'none' })
}, 60_000)

afterAll(async () => {
  await client.connection.close()
  await engines.close()
}, 60_000)

async function startWaiting(): Promise<string> {
  const { stdout } = await engines.temporal(['start', 'ask.yaml'])
  const id = stdout.trim()
  await expect.poll(async () => (await engines.temporal(['show', id])).stdout).toContain('ask asks: go on?')
  return id
}

test('a run that is cancelled at the server does its clean-up, and is cancelled', async () => {
  const id = await startWaiting()
  await client.workflow.getHandle(id).cancel()
  const watched = await engines.temporal(['watch', id])
  expect(watched.code).toBe(3)
  expect(watched.stderr).toContain('cancelled by temporal')
  expect(watched.stderr).toContain('bye: bye')
  expect((await engines.temporal(['show', id])).stdout).toMatch(/ask +core\/approve +cancelled/)
  expect(await engines.temporal(['resume', id])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('was cancelled: start it anew'),
  })
  // A second request, from a user who has not seen the first.
  const controlRequest = sendControlRequest(
    id,
    { client, taskQueue: 'none' },
    { kind: 'cancel', by: systemUserNamed('somebody') },
  )
  await expect(controlRequest).rejects.toMatchObject({ code: 'InvalidInput' })
  expect(await engines.temporal(['cancel', id])).toMatchObject({ code: 2 })
})

test('a run that is terminated at the server is interrupted, and can be resumed', async () => {
  const id = await startWaiting()
  await client.workflow.getHandle(id).terminate('by hand')
  expect((await engines.temporal(['watch', id])).code).toBe(130)
  const shown = await engines.temporal(['show', id])
  expect(shown.stdout).toMatch(/ask interrupted/)
  expect(shown.stdout).toContain(`opsbook resume ${id}`)
  const resumed = await engines.temporal(['resume', id], {
    onWrite(text) {
      if (text.includes('waits for "opsbook approve')) void engines.temporal(['approve', id, 'ask'])
    },
  })
  expect({ code: resumed.code, stderr: resumed.stderr }).toMatchObject({ code: 0 })
  expect(resumed.stdout).toContain('ask succeeded')
})

test('a run that is encrypted with a missing key fails with that reason', async () => {
  const ours = `ours:${randomBytes(32).toString('base64')}`
  const codec = createCodec({ keys: readPayloadKeys(ours), onUnreadable: 'throw' })
  const address = engines.env['TEMPORAL_ADDRESS'] ?? ''
  const connection = await Connection.connect({ address })
  const encrypting = new Client({ connection, dataConverter: { payloadCodecs: [codec] } })
  const { plan } = loadRunbook(files['ask.yaml'], createActions())
  if (!plan) throw new Error('the runbook is sound')
  const { taskQueue } = engines
  const { runId } = await beginRun({ client: encrypting, taskQueue, dataDir: 'nowhere', plan, inputs: {} })
  for (const words of [
    ['watch', runId],
    ['show', runId],
    ['resume', runId],
  ]) {
    const { code, stdout, stderr } = await engines.temporal(words)
    expect({ words, code, stdout }).toEqual({ words, code: 5, stdout: '' })
    expect(stderr).toContain(
      'PayloadUnreadable: a payload is encrypted with the key ours, and none is configured',
    )
    expect(stderr).toContain('OPSBOOK_TEMPORAL_KEYS')
  }
  await connection.close()
})

test.each([
  ['version', { version: 2 }, 'the plan is version 2 of opsbook/v1'],
  ['language', { language: 'opsbook/v2' }, 'the plan is version 1 of opsbook/v2'],
])('a plan of a newer %s fails', async (_, newer, said) => {
  const { plan } = loadRunbook(files['ask.yaml'], createActions())
  const { taskQueue } = engines
  const newPlan = { ...plan, ...newer } as Plan
  const { runId } = await beginRun({ client, taskQueue, dataDir: 'nowhere', plan: newPlan, inputs: {} })
  const watched = await engines.temporal(['watch', runId])
  expect(watched).toMatchObject({ code: 1 })
  expect(watched.stdout).toContain(`PlanDrift  ${said}`)
  // It may have workers by now that understand it; these do not.
  const resumed = await engines.temporal(['resume', runId])
  expect({ code: resumed.code, stdout: resumed.stdout }).toMatchObject({
    code: 1,
    stdout: expect.stringContaining(`PlanDrift  ${said}`),
  })
})

test('a run whose worker lacks an action fails, and sends nothing', async () => {
  const other = defineAction({
    name: 'other/action',
    summary: 'Is known to who starts the run alone',
    safety: 'create',
    input: { type: 'object' },
    output: { type: 'object' },
    run: async () => ({}),
  })
  const text = 'apiVersion: opsbook/v1\nname: lacks\nsteps: [{ id: a, uses: other/action }]\n'
  const { plan } = loadRunbook(text, createActions([other]))
  if (!plan) throw new Error('the runbook is sound')
  const { taskQueue } = engines
  const { runId } = await beginRun({ client, taskQueue, dataDir: 'nowhere', plan, inputs: {} })
  const watched = await engines.temporal(['watch', runId])
  expect(watched).toMatchObject({ code: 1 })
  expect(watched.stdout).toMatch(/PlanDrift .*no worker has the action other\/action/)
})

test('a create that was on its way when its run was terminated is not made again', async () => {
  let requests = 0
  const server = createServer(() => void requests++).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.closeAllConnections())
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/things`
  const started = await engines.temporal(['start', 'create.yaml', '-i', `url=${url}`])
  const id = started.stdout.trim()
  await expect.poll(() => requests).toBe(1)
  await client.workflow.getHandle(id).terminate('by hand')
  const resumed = await engines.temporal(['resume', id])
  expect(resumed).toMatchObject({
    code: 4,
    stdout: expect.stringContaining('the run was ended at the server'),
  })
  expect(requests).toBe(1)
})
