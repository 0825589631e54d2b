import { randomBytes } from 'node:crypto'
import { Client } from '@temporalio/client'
import { createActions, defineAction, loadRunbook, type Plan } from 'opsbook'
import { expect, test } from 'vitest'
import { createCodec } from '../../../src/engine/temporal/codec/create-codec.ts'
import { readPayloadKeys } from '../../../src/engine/temporal/codec/read-keys.ts'
import { beginRun } from '../../../src/engine/temporal/index.ts'
import { startStandIn } from '../../api/stand-in.ts'
import { enginesOfFile } from './commands/open-engines.ts'

const files = {
  'ask.yaml': `apiVersion: opsbook/v1
name: ask
steps:
  - { id: ask, uses: core/approve, with: { message: "go on?" } }
  - { id: then, uses: core/set, with: { a: 1 } }
`,
  'create.yaml': `apiVersion: opsbook/v1
name: create
inputs: { type: object, required: [url], properties: { url: { type: string } } }
steps:
  - { id: make, uses: core/http, attempt-timeout: 60s, with: { method: POST, url: "\${{ inputs.url }}" } }
`,
}

const engines = enginesOfFile(files)

test('a run that is terminated at the server is interrupted, and can be resumed', async () => {
  const id = (await engines.temporal(['start', 'ask.yaml'])).stdout.trim()
  await expect.poll(async () => (await engines.temporal(['show', id])).stdout).toContain('ask asks: go on?')
  const client = await engines.client()
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
  const { connection } = await engines.client()
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
})

test.each([
  ['version', { version: 2 }, 'the plan is version 2 of opsbook/v1'],
  ['language', { language: 'opsbook/v2' }, 'the plan is version 1 of opsbook/v2'],
])('a plan of a newer %s fails', async (_, newer, said) => {
  const { plan } = loadRunbook(files['ask.yaml'], createActions())
  const { taskQueue } = engines
  const newPlan = { ...plan, ...newer } as Plan
  const { runId } = await beginRun({
    client: await engines.client(),
    taskQueue,
    dataDir: 'nowhere',
    plan: newPlan,
    inputs: {},
  })
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
  const { runId } = await beginRun({
    client: await engines.client(),
    taskQueue,
    dataDir: 'nowhere',
    plan,
    inputs: {},
  })
  const watched = await engines.temporal(['watch', runId])
  expect(watched).toMatchObject({ code: 1 })
  expect(watched.stdout).toMatch(/PlanDrift .*no worker has the action other\/action/)
})

test('a create that was on its way when its run was terminated is not made again', async () => {
  const service = await startStandIn(() => undefined)
  const started = await engines.temporal(['start', 'create.yaml', '-i', `url=${service.baseUrl}`])
  const id = started.stdout.trim()
  await expect.poll(() => service.received).toHaveLength(1)
  const client = await engines.client()
  await client.workflow.getHandle(id).terminate('by hand')
  const resumed = await engines.temporal(['resume', id])
  expect(resumed).toMatchObject({
    code: 4,
    stdout: expect.stringContaining('the run was ended at the server'),
  })
  expect(service.received).toHaveLength(1)
})
