import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createActions, loadRunbook } from 'opsbook'
import { beforeAll, expect, it } from 'vitest'
import { startRun } from '../../../../src/engine/temporal/index.ts'
import { isRunning, uniqueSleep } from '../../../actions/processes.ts'
import { newFolder } from '../../../cli/support/opsbook.ts'
import { requireBuild, start } from '../../../cli/support/process.ts'
import { enginesOfTest } from './open-engines.ts'

/** Workers in processes of their own, killed while a command of theirs runs. */
beforeAll(requireBuild)

/** Kills the worker of a run in its command, and starts another one. The command notes each of its beginnings. */
async function killInCommand(safety: string) {
  const sleep = uniqueSleep()
  const notes = join(await newFolder(), 'notes')
  const script = `echo begun >> ${notes}; [ -e ${notes}-2 ] || ${sleep}`
  const step = { id: 'a', uses: 'core/command', 'attempt-timeout': '20s', with: { script, safety } }
  const text = JSON.stringify({ apiVersion: 'opsbook/v1', name: 'one', steps: [step] })
  const { plan, diagnostics } = loadRunbook(text, createActions([], { commands: { local: true } }))
  if (!plan) throw new Error(JSON.stringify(diagnostics))
  const engines = await enginesOfTest({}, { hasWorker: false, more: 'commands: { local: true }\n' })
  const openWorker = async () => {
    const worker = start(['worker'], engines.env, engines.folder)
    await worker.until('stdout', 'worker ready')
    return worker
  }
  const worker = await openWorker()
  const { taskQueue, folder: dataDir } = engines
  const ports = { client: await engines.client(), taskQueue, dataDir }
  // The answer of a create whose worker is lost is waited for: no longer than an attempt may take.
  const { result } = await startRun({ ...ports, plan, inputs: {}, lostCreateWaitMs: 1 })
  await expect.poll(() => isRunning(sleep), { timeout: 90_000 }).toBe(true)
  worker.child.kill('SIGKILL')
  await expect.poll(() => isRunning(sleep), { timeout: 90_000 }).toBe(false)
  writeFileSync(`${notes}-2`, '')
  const next = await openWorker()
  const { status, error } = await result
  next.child.kill('SIGTERM')
  await next.ended
  return { status, error: error?.code, begun: readFileSync(notes, 'utf8') }
}

it('a create has an unknown outcome, and is not begun again', async () => {
  expect(await killInCommand('create')).toEqual({
    status: 'unknown',
    error: 'OutcomeUnknown',
    begun: 'begun\n',
  })
}, 300_000)

it('a command that may be repeated runs again on another worker', async () => {
  expect(await killInCommand('idempotent')).toMatchObject({ status: 'succeeded', begun: 'begun\nbegun\n' })
}, 300_000)
