import { readFileSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { claimed } from '../../../cli/support/named.ts'
import { type Engines, openEngines } from './open-engines.ts'

let engines: Engines
const shipped = readFileSync(new URL('../../../../runbooks/morning-diagnosis.yaml', import.meta.url), 'utf8')

beforeAll(async () => {
  engines = await openEngines({})
  await mkdir(join(engines.folder, 'runbooks'))
  await put('morning.yaml', shipped)
}, 60_000)

afterAll(async () => {
  await put(
    'none.yaml',
    'apiVersion: opsbook/v1\nname: none\nsteps: [{ id: a, uses: core/set, with: { a: 1 } }]\n',
  )
  await rm(join(engines.folder, 'runbooks', 'morning.yaml'))
  await engines.temporal(['schedules', 'apply'])
  await engines.close()
}, 60_000)

function put(name: string, text: string): Promise<void> {
  return writeFile(join(engines.folder, 'runbooks', name), text)
}

async function apply(...words: readonly string[]): Promise<unknown> {
  const { code, stdout, stderr } = await engines.temporal(['schedules', 'apply', ...words, '-o', 'json'])
  expect(code, stderr).toBe(0)
  return JSON.parse(stdout)
}

async function list(): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return JSON.parse((await engines.temporal(['schedules', '-o', 'json'])).stdout).schedules
}

test('the morning diagnosis on the workers of a server, by its schedule', async () => {
  expect(await list()).toMatchObject([{ id: 'morning_diagnosis', state: 'missing' }])
  const dry = await engines.temporal(['schedules', 'apply', '--dry-run'])
  expect(dry.stdout).toBe('morning_diagnosis: would be created\n')
  expect(await apply()).toEqual({
    dry_run: false,
    schedules: [{ id: 'morning_diagnosis', change: 'create' }],
  })
  expect(await apply()).toMatchObject({ schedules: [{ change: 'keep' }] })
  await expect
    .poll(list)
    .toMatchObject([
      { id: 'morning_diagnosis', state: 'active', cron: '0 8 * * 1-5', timezone: 'Europe/Berlin' },
    ])
  const { stdout } = await engines.temporal(['schedules'])
  expect(stdout).toMatch(/next {6}\w{3} \d{4}-\d\d-\d\d 08:00 GMT\+[12]/)

  const triggered = await engines.temporal([
    'schedules',
    'trigger',
    'morning_diagnosis',
    '--by',
    'ann',
    '-o',
    'json',
  ])
  const { run_id: runId } = JSON.parse(triggered.stdout)
  await expect.poll(list).toMatchObject([{ last: [{ run_id: runId, started_by: claimed('ann') }] }])
  expect((await engines.temporal(['watch', runId])).code).toBe(0)
  const shown = JSON.parse((await engines.temporal(['show', runId, '-o', 'json'])).stdout)
  expect(shown).toMatchObject({
    status: 'succeeded',
    outputs: { hosts: 2, not_seen: [] },
    inputs: { hosts: ['web-01', 'disk-01'] },
    started_from: { kind: 'schedule', schedule: 'morning_diagnosis', trigger: 0 },
  })
  const text = (await engines.temporal(['show', runId])).stdout
  expect(text).toContain('by its schedule')
})

test('paused stays paused, also where the runbook changes', async () => {
  await apply()
  await engines.temporal(['schedules', 'pause', 'morning_diagnosis', '--by', 'ann', '--comment', 'the move'])
  await put('morning.yaml', shipped.replace('0 8 * * 1-5', '0 9 * * 1-5'))
  expect(await apply()).toMatchObject({ schedules: [{ change: 'update' }] })
  await expect
    .poll(list)
    .toMatchObject([
      { state: 'paused', cron: '0 9 * * 1-5', paused: { by: claimed('ann'), comment: 'the move' } },
    ])
  await engines.temporal(['schedules', 'unpause', 'morning_diagnosis'])
  await expect.poll(list).toMatchObject([{ state: 'active' }])
})

test('runbooks that are named leave the schedules of others alone', async () => {
  await apply()
  await put(
    'other.yaml',
    'apiVersion: opsbook/v1\nname: other\nsteps: [{ id: a, uses: core/set, with: { a: 1 } }]\n',
  )
  expect(await apply('runbooks/other.yaml')).toMatchObject({ schedules: [] })
  const { code, stderr } = await engines.temporal(['schedules', 'apply'], {
    folder: join(engines.folder, '..'),
  })
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('nothing was changed') })
})

test('options that a server does not support are reported', async () => {
  await put(
    'alone.yaml',
    'apiVersion: opsbook/v1\nname: alone\nconcurrency: { key: "${{ run.id }}" }\ntriggers: [{ type: schedule, every: 1h }]\nsteps: [{ id: a, uses: core/set, with: { a: 1 } }]\n',
  )
  const { code, stdout } = await engines.temporal(['schedules', 'apply', 'runbooks/alone.yaml'])
  expect({ code, stdout }).toMatchObject({ code: 1, stdout: expect.stringContaining('alone: not applied: ') })
  await rm(join(engines.folder, 'runbooks', 'alone.yaml'))
})

test('triggers pause stops schedules, those that are made meanwhile too, whatever is said of one by itself', async () => {
  const states = async () =>
    Object.fromEntries((await list()).map(({ id, state }) => [String(id), String(state)]))
  const every = (name: string): Promise<void> =>
    put(
      `${name}.yaml`,
      `apiVersion: opsbook/v1\nname: ${name}\ntriggers: [{ type: schedule, every: 7d }]\nsteps: [{ id: a, uses: core/set, with: { a: 1 } }]\n`,
    )
  await every('resting')
  await apply()
  await engines.temporal(['schedules', 'pause', 'resting', '--by', 'ann'])
  const paused = await engines.temporal(['triggers', 'pause', '--by', 'ann'])
  expect(paused).toMatchObject({ code: 0 })
  await every('late')
  await apply()
  await expect.poll(states).toMatchObject({ late: 'paused', morning_diagnosis: 'paused', resting: 'paused' })
  // Of all, and by itself: each is one pause more, and one less.
  for (const [verb, name] of [
    ['unpause', 'resting'],
    ['unpause', 'late'],
    ['pause', 'morning_diagnosis'],
  ] as const)
    expect(await engines.temporal(['schedules', verb, name, '--by', 'ann'])).toMatchObject({ code: 0 })
  await expect.poll(states).toMatchObject({ late: 'paused', morning_diagnosis: 'paused', resting: 'paused' })
  await engines.temporal(['triggers', 'unpause'])
  await expect.poll(states).toMatchObject({ late: 'active', morning_diagnosis: 'paused', resting: 'active' })
  await engines.temporal(['schedules', 'unpause', 'morning_diagnosis'])
  for (const name of ['late', 'resting']) await rm(join(engines.folder, 'runbooks', `${name}.yaml`))
})

test('serve applies the schedules of its runbooks', async () => {
  await engines.temporal(['schedules', 'delete', 'morning_diagnosis'])
  const { code, stderr } = await engines.temporal(['serve', '--listen', '127.0.0.1:0'], {
    onWrite(text, command) {
      if (text.startsWith('serve ready')) command.signal('SIGTERM')
    },
  })
  expect(code, stderr).toBe(0)
  await expect.poll(list).toMatchObject([{ id: 'morning_diagnosis', state: 'active' }])
})
