import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
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
  const engines = await enginesOfTest(
    {
      'one.yaml': `apiVersion: opsbook/v1
name: one
steps:
  - id: a
    uses: core/command
    attempt-timeout: 20s
    with: { script: "echo begun >> ${notes}; [ -e ${notes}-2 ] || ${sleep}", safety: ${safety} }
`,
    },
    { hasWorker: false, more: 'commands: { local: true }\n' },
  )
  const openWorker = async () => {
    const worker = start(['worker'], engines.env, engines.folder)
    await worker.until('stdout', 'worker ready')
    return worker
  }
  const worker = await openWorker()
  const ended = engines.temporal(['run', 'one.yaml', '-q', '-o', 'json'])
  await expect.poll(() => isRunning(sleep), { timeout: 90_000 }).toBe(true)
  worker.child.kill('SIGKILL')
  await expect.poll(() => isRunning(sleep), { timeout: 90_000 }).toBe(false)
  writeFileSync(`${notes}-2`, '')
  const next = await openWorker()
  const { code, stdout } = await ended
  next.child.kill('SIGTERM')
  await next.ended
  return { code, run: JSON.parse(stdout), begun: readFileSync(notes, 'utf8') }
}

it('a create has an unknown outcome, and is not begun again', async () => {
  const { code, run, begun } = await killInCommand('create')
  expect({ code, status: run.status, error: run.error?.code, begun }).toEqual({
    code: 4,
    status: 'unknown',
    error: 'OutcomeUnknown',
    begun: 'begun\n',
  })
}, 300_000)

it.each(['read', 'idempotent'])(
  'a command that is %s runs again on another worker',
  async (safety) => {
    const { code, run, begun } = await killInCommand(safety)
    expect({ code, status: run.status, begun }).toEqual({
      code: 0,
      status: 'succeeded',
      begun: 'begun\nbegun\n',
    })
  },
  300_000,
)
