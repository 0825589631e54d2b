import { createActions } from 'opsbook'
import { expect, test } from 'vitest'
import { openEmbeddedEngine } from '../../../src/engine/embedded/index.ts'
import { expectFiles, filesRunbook } from '../support/expect-files.ts'
import { compile } from '../support/run-runbook.ts'
import { createStage } from './support/stage.ts'

test('files are read by their names in the record, and nothing else is', async () => {
  const stage = createStage(createActions())
  const plan = compile(filesRunbook, stage.actions)
  const { run_id, status } = await stage.run('', { plan })
  expect(status).toBe('succeeded')
  const engine = openEmbeddedEngine(stage.dataDir)
  await expectFiles(engine, run_id)
  await engine.close()
})
