import { expect, onTestFinished, test } from 'vitest'
import { newFolder } from '../../../cli/support/opsbook.ts'
import { forkProgram, killProcess } from '../support/fork-program.ts'
import { enginesOfTest } from './open-engines.ts'

test('doctor finds the worker that writes its files to another folder', async () => {
  const engines = await enginesOfTest({})
  const doctor = async (...words: readonly string[]): Promise<string> =>
    (await engines.temporal(['doctor', '--sandbox', ...words])).stdout
  expect(await doctor()).toMatch(/ok +artifacts +looked for in \S+; all workers write there\n/)

  const elsewhere = await newFolder()
  expect(await doctor('--data-dir', elsewhere)).toMatch(
    /warn +artifacts +looked for in \S+, where no worker writes/,
  )

  const args = [engines.env['TEMPORAL_ADDRESS'] ?? '', engines.taskQueue, 'http://127.0.0.1:1', elsewhere]
  const stranger = await forkProgram('worker-process', args)
  onTestFinished(() => killProcess(stranger))
  const told = new RegExp(`fail +artifacts +looked for in \\S+, which is not the folder of ${stranger.pid}@`)
  await expect.poll(() => doctor()).toMatch(told)
})
