import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createActions, loadRunbook } from 'opsbook'
import { expect, inject, it, onTestFinished } from 'vitest'
import { connectClient } from '../../../src/engine/temporal/connection.ts'
import { startRun } from '../../../src/engine/temporal/index.ts'
import { openEventStore } from '../../../src/engine/temporal/received-events/event-store.ts'
import { forkProgram, killProcess } from './support/fork-program.ts'

const count = 30
const items = Array.from({ length: count }, (_, n) => n)
const text = JSON.stringify({
  apiVersion: 'opsbook/v1',
  name: 'killed',
  inputs: { type: 'object', required: ['items'], properties: { items: { type: 'array' } } },
  steps: [
    {
      id: 'each',
      'for-each': { items: '${{ inputs.items }}', 'max-parallel': 3 },
      uses: 'core/listen',
      with: { hook: 'ci', where: '${{ event.n == item }}', timeout: '10m' },
    },
  ],
  outputs: { ids: '${{ steps.each.outputs.items.map(i, i.outputs.event_id) }}' },
})

it('takes every accepted event once while workers are killed, in many executions', async () => {
  const taskQueue = `killed-${process.pid}`
  const dataDir = mkdtempSync(join(tmpdir(), 'opsbook-listen-'))
  const client = await connectClient({
    address: inject('temporalAddress'),
    namespace: 'default',
    taskQueue,
  })
  const store = openEventStore({ client, taskQueue })
  const openWorker = () =>
    forkProgram('worker-process', [inject('temporalAddress'), taskQueue, 'http://127.0.0.1:1', dataDir])
  let worker = await openWorker()
  onTestFinished(async () => {
    await killProcess(worker)
    await store.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const { plan } = loadRunbook(text, createActions([]))
  if (!plan) throw new Error('the runbook is refused')
  const run = await startRun({ client, taskQueue, dataDir, plan, inputs: { items }, mostEvents: 60 })
  /** A sender repeats an event until it is accepted. */
  const send = async (n: number): Promise<void> => {
    const event = { hook: 'ci', id: `e${n}`, type: 'incident', receivedAtMs: Date.now(), body: { n } }
    await expect
      .poll(() => store.evaluation({ event, candidates: [] }).then(() => 'accepted', String), {
        timeout: 120_000,
      })
      .toBe('accepted')
  }
  for (const n of items) {
    const sending = send((n * 7) % count)
    if (n % 8 === 3) {
      await killProcess(worker)
      worker = await openWorker()
    }
    await sending
  }
  expect(await run.result).toMatchObject({
    status: 'succeeded',
    outputs: { ids: items.map((n) => `e${n}`) },
  })
  await expect
    .poll(async () => (await store.listEvents({ limit: count })).flatMap(({ taken = [] }) => taken), {
      timeout: 60_000,
    })
    .toHaveLength(count)
}, 300_000)
