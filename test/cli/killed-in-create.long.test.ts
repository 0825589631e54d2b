/** A process is killed in the middle of a create: every command says that the create may exist. */
import { beforeAll, expect, test } from 'vitest'
import { newFolder, opsbook } from './support/opsbook.ts'
import { requireBuild, start } from './support/process.ts'
import { startService } from './support/service.ts'

beforeAll(requireBuild)

const canary = 'hush-hush-canary'
const runbook = `apiVersion: opsbook/v1
name: killed
inputs: { type: object, properties: { secret: { type: string, writeOnly: true, default: ${canary} } } }
steps:
  - { id: create, uses: rum/application/create, with: { application_name: "shop \${{ inputs.secret }}", type: browser, team_id: 1 } }
  - { id: say, uses: core/log, with: { message: made } }
finally:
  - { id: bye, uses: core/log, with: { message: the end } }
`

async function killed() {
  const service = await startService()
  const folder = await newFolder({ 'killed.yaml': runbook })
  const at = ['--data-dir', 'data']
  await service.fault({ operation: 'E2', times: 1, delay_ms: 60_000 })
  const run = start(['run', 'killed.yaml', ...at], service.env(), folder)
  await expect.poll(service.calls).toContain('E2')
  run.child.kill('SIGKILL')
  await run.ended
  const command = (...words: readonly string[]) => opsbook([...words, ...at], { folder, env: service.env() })
  return { command, runId: JSON.parse((await command('runs', '-o', 'json')).stdout).runs[0].run_id as string }
}

const call =
  /create: .*\n {2}call +rum\/application\/create, attempt 1, at .*\n(.*\n)* {4,}application_name: shop \(masked\)\n(.*\n)* {2}find out /

test('show names the create in flight, since when, and how to decide; runs agrees with it; then a decision continues it', async () => {
  const { command, runId } = await killed()
  const { stdout } = await command('show', runId)
  expect(stdout).toContain(
    'create: was in flight when the process ended: it may or may not have been executed',
  )
  expect(stdout).toMatch(call)
  expect(stdout).toContain('Needs a decision: whether create was executed.')
  expect(stdout).toContain(`opsbook decide ${runId} create --as failed --data-dir data`)
  expect(stdout).not.toContain('opsbook resume')
  const [, took] = / interrupted after (\S+) /.exec(stdout) ?? []
  const listed = (await command('runs')).stdout
  expect(listed).toMatch(new RegExp(`interrupted .* ${took} +create: OutcomeUnknown\n`))
  const [summary] = JSON.parse((await command('runs', '-o', 'json')).stdout).runs
  expect(summary).toMatchObject({ status: 'interrupted', ended_at: expect.any(String) })
  const json = (await command('show', runId, '-o', 'json')).stdout
  expect(JSON.parse(json)).toMatchObject({
    status: 'interrupted',
    unknown_outcomes: [
      { path: 'create', attempt: 1, started_at: expect.any(String), find_out: expect.any(String) },
    ],
  })
  expect(JSON.parse(json).ended_at).toBe(summary.ended_at)
  expect(stdout + json).not.toContain(canary)
  const decided = await command('decide', runId, 'create', '--as', 'failed')
  expect(decided.stderr).toContain(`create of ${runId}: resolved as failed`)
  expect(decided.stdout).toContain('killed failed after')
})

test.each(['text', 'json'] as const)(
  'cancel --now says what may exist, and show does after it: %s',
  async (output) => {
    const { command, runId } = await killed()
    const { stdout, code } = await command('cancel', runId, '--now', '-o', output)
    expect(code).toBe(0)
    const shown = await command('show', runId)
    expect(shown.stdout).toContain(
      'create: its outcome stays unknown: the run was cancelled, and what it creates may exist',
    )
    expect(shown.stdout).toMatch(call)
    if (output === 'text') expect(stdout).toMatch(call)
    const named = [
      {
        path: 'create',
        action: 'rum/application/create',
        sent: { input: { application_name: 'shop (masked)' } },
      },
    ]
    if (output === 'json')
      expect(JSON.parse(stdout)).toMatchObject({ status: 'cancelled', unknown_outcomes: named })
    const json = (await command('show', runId, '-o', 'json')).stdout
    expect(JSON.parse(json)).toMatchObject({ status: 'cancelled', unknown_outcomes: named })
    expect(stdout + shown.stdout + json).not.toContain(canary)
  },
)

test('cancel needs one decision, which retry is not; then the run ends as cancelled', async () => {
  const { command, runId } = await killed()
  const cancelled = await command('cancel', runId)
  expect(cancelled.code).toBe(4)
  expect(cancelled.stdout).toContain('Then record what you found, and the run ends as cancelled:')
  expect(cancelled.stdout).not.toContain('--as retry')
  expect(await command('decide', runId, 'create', '--as', 'retry')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/is being cancelled: it makes no call again[\s\S]*--as failed/),
  })
  const decided = await command('decide', runId, 'create', '--as', 'failed')
  expect(decided.stdout).toContain('killed cancelled after')
  expect(decided.stderr).not.toContain('made')
})
