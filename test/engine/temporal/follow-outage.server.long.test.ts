import { Client } from '@temporalio/client'
import { defineAction } from 'opsbook'
import { expect, inject, onTestFinished, test } from 'vitest'
import { readEvents } from '../../../src/engine/temporal/client/follow-events.ts'
import { dataConverterFor } from '../../../src/engine/temporal/codec/create-codec.ts'
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
