import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { enginesOfTest } from './open-engines.ts'

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'opsbook-doctor-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('doctor finds the worker that writes its files to another folder', async () => {
  const engines = await enginesOfTest({})
  const doctor = async (...words: readonly string[]): Promise<string> =>
    (await engines.temporal(['doctor', '--sandbox', ...words])).stdout
  expect(await doctor()).toMatch(/ok +artifacts +looked for in \S+; all workers write there\n/)

  const elsewhere = newFolder()
  expect(await doctor('--data-dir', elsewhere)).toMatch(
    /warn +artifacts +looked for in \S+, where no worker writes/,
  )

  const program = fileURLToPath(new URL('../support/worker-process.ts', import.meta.url))
  const args = [engines.env['TEMPORAL_ADDRESS'] ?? '', engines.taskQueue, 'http://127.0.0.1:1', elsewhere]
  const stranger = fork(program, args, {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  onTestFinished(async () => {
    stranger.kill('SIGKILL')
    await once(stranger, 'exit')
  })
  await once(stranger, 'message')
  const told = new RegExp(`fail +artifacts +looked for in \\S+, which is not the folder of ${stranger.pid}@`)
  await expect.poll(() => doctor(), { interval: 200 }).toMatch(told)
})
