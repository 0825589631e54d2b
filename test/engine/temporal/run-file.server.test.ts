import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { Engine } from '../../../src/engine/index.ts'
import { openTemporalEngine } from '../../../src/engine/temporal/client/temporal-engine.ts'
import { expectFiles, filesRunbook } from '../support/expect-files.ts'
import { openStage } from './support/open-stage.ts'

let stage: Awaited<ReturnType<typeof openStage>>
let engine: Engine
beforeAll(async () => {
  stage = await openStage(inject('temporalAddress'))
  const { client, taskQueue, dataDir } = stage
  engine = openTemporalEngine({ client, taskQueue, dataDir, loadActions: async () => [] })
})
afterAll(() => stage.close())

test('files are read by their names in the record, and nothing else is', async () => {
  const { runId, result } = await stage.start(stage.compile(filesRunbook))
  expect(await result).toMatchObject({ status: 'succeeded' })
  await expectFiles(engine, runId)
})
