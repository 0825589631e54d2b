import { createActions } from 'opsbook'
import { expect, test } from 'vitest'
import { openEmbeddedEngine } from '../../../src/engine/embedded/index.ts'
import { expectReads, readRunbook } from '../support/expect-reads.ts'
import { compile } from '../support/run-runbook.ts'
import { createStage } from './support/stage.ts'

test('a record has the text of the runbook, its files by name, and the events of an item', async () => {
  const stage = createStage(createActions())
  const plan = compile(readRunbook, stage.actions)
  const { run_id, status } = await stage.run('', { plan })
  expect(status).toBe('succeeded')
  const engine = openEmbeddedEngine(stage.dataDir)
  await expectReads(engine, run_id)
  await engine.close()
})
