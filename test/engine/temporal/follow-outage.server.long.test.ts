import { Client } from '@temporalio/client'
import { defineAction } from 'opsbook'
import { expect, inject, onTestFinished, test } from 'vitest'
import { readEvents } from '../../../src/engine/temporal/client/follow-events.ts'
import { whySilent } from '../../../src/engine/temporal/client/talk-to-run.ts'
import { dataConverterFor } from '../../../src/engine/temporal/codec/create-codec.ts'
import { countingClient } from './support/counting-client.ts'
import { openStage } from './support/open-stage.ts'

const read = defineAction({
  name: 'test/read',
  summary: 'Read nothing',
  safety: 'read',
  input: { type: 'object' },
  output: { type: 'object' },
  run: async () => ({}),
})

test('a server that goes away while executions before the last are read is away, and nothing else', async () => {
  const stage = await openStage(inject('temporalAddress'), [read])
  onTestFinished(() => stage.close())
  const { taskQueue } = stage
  const steps = [1, 2, 3, 4, 5, 6].map((n) => ({ id: `read${n}`, uses: read.name }))
  const { runId, result } = await stage.start(stage.compile({ steps }), { mostEvents: 12 })
  await result
  const { connection, options } = stage.client
  const describe = (): never => {
    throw Object.assign(new Error('gone'), { code: 14, details: 'gone' })
  }
  const client = new Client({
    connection,
    namespace: options.namespace,
    dataConverter: dataConverterFor('throw'),
    interceptors: { workflow: [{ describe }] },
  })
  await expect(readEvents({ client, taskQueue }, runId)).rejects.toMatchObject({
    code: 'TemporalUnavailable',
  })
})

test('a server that is slow to say why a run does not answer is not away', async () => {
  const stage = await openStage(inject('temporalAddress'), [read])
  onTestFinished(() => stage.close())
  const { taskQueue } = stage
  const ask = { id: 'ask', uses: 'core/approve', with: { message: 'Go on?' } }
  const { runId, events } = await stage.start(stage.compile({ steps: [ask] }))
  for await (const { type } of events) if (type === 'waiting') break
  const { client, deadlinesMs } = await countingClient()
  deadlinesMs.length = 0
  expect(await whySilent({ client, taskQueue }, runId)).toBeUndefined()
  // A look for the workers, one at the run, and one for what keeps it: each has a time limit of its own.
  expect(new Set(deadlinesMs).size).toBeGreaterThanOrEqual(3)
  await stage.client.workflow.getHandle(runId).terminate()
})
