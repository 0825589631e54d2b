import { expect, test } from 'vitest'
import { expectReads, readRunbook } from '../support/expect-reads.ts'
import { stageOfFile } from './support/stage-of-file.ts'

const stage = stageOfFile()

test('a record has the text of the runbook, its files by name, and the events of an item', async () => {
  const { runId, result } = await stage.start(stage.compile(readRunbook))
  expect(await result).toMatchObject({ status: 'succeeded' })
  await expectReads(stage.engine, runId)
})
