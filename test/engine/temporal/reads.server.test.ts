import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { Engine } from '../../../src/engine/index.ts'
import { openTemporalEngine } from '../../../src/engine/temporal/client/temporal-engine.ts'
import { expectReads, readRunbook } from '../support/expect-reads.ts'
import { openStage } from './support/open-stage.ts'

let stage: Awaited<ReturnType<typeof openStage>>
let engine: Engine
beforeAll(async () => {
  stage = await openStage(inject('temporalAddress'))
  const { client, taskQueue, dataDir } = stage
  engine = openTemporalEngine({ client, taskQueue, dataDir, loadActions: async () => [] })
})
afterAll(() => stage.close())

test('a record has the text of the runbook, its files by name, and the events of an item', async () => {
  const { runId, result } = await stage.start(stage.compile(readRunbook))
  expect(await result).toMatchObject({ status: 'succeeded' })
  await expectReads(engine, runId)
})
