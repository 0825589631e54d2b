import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { newFolder, opsbook, untilSaid } from '../cli/support/opsbook.ts'
import { requireBuild, start } from '../cli/support/process.ts'
import { startServing } from './support/serve-in-process.ts'

beforeAll(requireBuild)

const runbook = `apiVersion: opsbook/v1
name: pending
triggers:
  - { type: schedule, cron: 0 3 * * *, timezone: UTC }
steps:
  - { id: pause, uses: core/wait, with: { for: 1h } }
`

async function newProject() {
  const folder = await newFolder({
    'opsbook.yaml': 'hooks: { alerts: {} }\n',
    'runbooks/pending.yaml': runbook,
  })
  const service = { OPSBOOK_BASE_URL: 'http://127.0.0.1:1', OPSBOOK_APP_KEY: 'unused' }
  return { folder, env: { ...service, OPSBOOK_DATA_DIR: join(folder, 'data') } }
}

type Project = Awaited<ReturnType<typeof newProject>>

/** Carries a run out until it waits, and stops the command with Ctrl-C. */
async function stopped({ folder, env }: Project, ...words: string[]) {
  const { ended, signal } = await untilSaid(words, { folder, env }, 'waits')
  signal('SIGINT')
  const { code, stderr } = await ended
  return { code, stderr, runId: /run_\d{8}_\d{6}_\w{6}/.exec(stderr)?.[0] ?? '' }
}

it('a run that was stopped with Ctrl-C stays so, whoever serves; --continue-all continues it', async () => {
  const project = await newProject()
  const { code, stderr, runId } = await stopped(project, 'run', 'pending')
  expect(code).toBe(130)
  expect(stderr).toContain(`"opsbook resume ${runId}" continues it`)
  expect(stderr).toContain('"opsbook serve" does neither')
  const serving = await startServing([], project)
  const isLeft = [{ msg: 'run left alone', reason: expect.stringContaining('a user stopped it') }]
  await expect.poll(() => serving.linesOf(runId)).toMatchObject(isLeft)
  await serving.stop()
  const all = await startServing(['--continue-all'], project)
  await expect.poll(() => all.linesOf(runId)).toMatchObject([{ msg: 'run resumed' }])
  await all.stop()
  // From then on it is a run of serve.
  const next = await startServing([], project)
  await expect.poll(() => next.linesOf(runId)).toMatchObject([{ msg: 'run resumed' }])
  await next.stop()
  await stopped(project, 'resume', runId)
  const last = await startServing([], project)
  await expect.poll(() => last.linesOf(runId)).toMatchObject(isLeft)
})

it('a run whose process was killed is continued', async () => {
  const { folder, env } = await newProject()
  const running = start(['run', 'pending'], env, folder)
  await running.until('stderr', 'waits')
  running.child.kill('SIGKILL')
  await running.ended
  const serving = await startServing([], { folder, env })
  const { stdout } = await opsbook(['runs', '--output', 'json'], { folder, env })
  const [{ run_id: runId }] = JSON.parse(stdout).runs
  await expect.poll(() => serving.linesOf(runId)).toMatchObject([{ msg: 'run resumed' }])
})

it('serve says what it serves', async () => {
  const project = await newProject()
  const serving = await startServing([], project)
  const served = serving.answer()
  await serving.stop()
  expect(served).toMatch(/hooks +alerts\n +runbooks +pending\n +schedules +pending\n/)
  const empty = await startServing([], { ...project, folder: await newFolder() })
  expect(empty.answer()).toMatch(/hooks +none\n +runbooks +none\n +schedules +none/)
})
