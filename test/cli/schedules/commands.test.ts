import { expect, test } from 'vitest'
import { claimed } from '../support/named.ts'
import { type CommandResult, newFolder, opsbook } from '../support/opsbook.ts'

const head = 'apiVersion: opsbook/v1\n'
const morning = `${head}name: morning
inputs: { type: object, properties: { hosts: { type: array, items: { type: string } } } }
triggers:
  - { type: schedule, cron: "0 8 * * 1-5", timezone: Europe/Berlin, with: { hosts: [web-01] } }
  - { type: schedule, every: 7d }
steps:
  - { id: say, uses: core/log, with: { message: "\${{ size(default(inputs.hosts, [])) }} hosts" } }
`

interface Project {
  readonly folder: string
  run(...words: readonly string[]): Promise<CommandResult>
  list(): Promise<readonly Readonly<Record<string, unknown>>[]>
}

async function project(files: Readonly<Record<string, string>> = {}): Promise<Project> {
  const folder = await newFolder()
  const { mkdir, writeFile } = await import('node:fs/promises')
  await mkdir(`${folder}/runbooks`)
  for (const [name, text] of Object.entries({ 'morning.yaml': morning, ...files }))
    await writeFile(`${folder}/runbooks/${name}`, text)
  const run: Project['run'] = (...words) => opsbook([...words, '--data-dir', 'data'], { folder })
  return {
    folder,
    run,
    async list() {
      const { code, stdout, stderr } = await run('schedules', '--output', 'json')
      expect(code, stderr).toBe(0)
      return JSON.parse(stdout).schedules
    },
  }
}

/** Serves until `work` is done. */
async function serving(folder: string, work: () => Promise<void>): Promise<void> {
  let done: Promise<void> | undefined
  const { code, stderr } = await opsbook(
    ['serve', '--sandbox', '--listen', '127.0.0.1:0', '--data-dir', 'data'],
    {
      folder,
      onWrite(text, command) {
        if (!text.startsWith('serve ready')) return
        done = work().finally(() => command.signal('SIGTERM'))
      },
    },
  )
  await done
  expect(code, stderr).toBe(0)
}

test('lists what runbooks name, before anybody carries it out', async () => {
  const { run, list } = await project()
  expect(await list()).toMatchObject([
    { id: 'morning', state: 'missing', cron: '0 8 * * 1-5', timezone: 'Europe/Berlin', last: [], missed: 0 },
    { id: 'morning.2', state: 'missing', every_ms: 604_800_000 },
  ])
  const { stdout } = await run('schedules')
  expect(stdout).toContain('morning  not applied yet')
  expect(stdout).toMatch(/next {6}\w{3} \d{4}-\d\d-\d\d 08:00 GMT\+[12]/)
  expect(stdout).toContain('no process executes them now: start "opsbook serve')
})

test('a run by hand is executed by serve, with the inputs of the schedule', async () => {
  const { folder, run, list } = await project()
  const early = await run('schedules', 'trigger', 'morning')
  expect(early.code).toBe(5)
  expect(early.stderr).toContain('"opsbook run morning" runs the runbook directly')
  await serving(folder, async () => {
    const { code, stdout, stderr } = await run('schedules', 'trigger', 'morning', '--by', 'ann', '-o', 'json')
    expect(code, stderr).toBe(0)
    const { run_id: runId } = JSON.parse(stdout)
    expect((await run('watch', runId)).code).toBe(0)
    const shown = JSON.parse((await run('show', runId, '-o', 'json')).stdout)
    expect(shown).toMatchObject({
      status: 'succeeded',
      inputs: { hosts: ['web-01'] },
      started_from: { kind: 'schedule', schedule: 'morning', trigger: 0 },
    })
    expect(await list()).toMatchObject([
      { id: 'morning', state: 'active', last: [{ run_id: runId, started_by: claimed('ann') }] },
      { id: 'morning.2', state: 'active', last: [] },
    ])
  })
})

test('doctor sees a serve that has schedules and no hooks', async () => {
  const { folder, run } = await project()
  const checks = async () => {
    const { stdout } = await run('doctor', '--sandbox', '-o', 'json')
    return JSON.parse(stdout).checks.filter(({ name }: { name: string }) => name === 'serve')
  }
  expect(await checks()).toEqual([])
  await serving(folder, async () => {
    expect(await checks()).toMatchObject([{ status: 'ok', message: expect.stringContaining('running') }])
  })
})

test('pause, unpause and delete', async () => {
  const { run, list } = await project()
  const paused = await run('schedules', 'pause', 'morning.2', '--by', 'ann', '--comment', 'the move')
  expect(paused).toMatchObject({ code: 0, stderr: '' })
  expect(await list()).toMatchObject([
    { id: 'morning', state: 'missing' },
    { id: 'morning.2', state: 'paused', paused: { by: claimed('ann'), comment: 'the move' } },
  ])
  expect((await run('schedules', 'unpause', 'morning.2')).code).toBe(0)
  expect((await list())[1]).toMatchObject({ id: 'morning.2', state: 'active' })
  expect((await run('schedules', 'delete', 'morning.2')).stdout).toContain('creates it again')
  expect((await list())[1]).toMatchObject({ id: 'morning.2', state: 'missing' })
  for (const verb of ['pause', 'unpause', 'delete']) {
    const { code, stderr } = await run('schedules', verb, 'evening')
    expect([verb, code]).toEqual([verb, 2])
    expect(stderr).toContain('there is no schedule evening')
  }
})

test.each([
  ['morning-round', 'morning_round'],
  ['morning_round.1', 'morning_round'],
  ['daily', 'morning_round'],
  ['daily.2', 'morning_round.2'],
  ['runbooks/daily.yaml', 'morning_round'],
])('%s names a schedule as it names a runbook', async (given, id) => {
  const { run } = await project({ 'daily.yaml': morning.replace('name: morning', 'name: morning_round') })
  for (const verb of ['pause', 'unpause', 'delete']) {
    const { code, stdout, stderr } = await run('schedules', verb, given, '-o', 'json')
    expect(code, stderr).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ schedule: id })
  }
})

test('what no runbook names any more is said to be left', async () => {
  const { folder, run, list } = await project()
  await run('schedules', 'pause', 'morning.2')
  const { writeFile } = await import('node:fs/promises')
  await writeFile(`${folder}/runbooks/morning.yaml`, morning.replace(/ {2}- .*7d.*\n/, ''))
  expect(await list()).toMatchObject([{ id: 'morning' }, { id: 'morning.2', state: 'left' }])
  const { stdout } = await run('schedules')
  expect(stdout).toContain('"opsbook schedules delete" deletes one')
})

test('a runbook that is not valid hides nothing of what is executed', async () => {
  const { run, list } = await project({ 'wrong.yaml': head, 'other.yaml': `${head}steps: 7\n` })
  const { code, stderr } = await run('schedules')
  expect(code).toBe(0)
  for (const file of ['wrong.yaml', 'other.yaml']) {
    expect(stderr).toContain(`${file} is not a valid runbook\n`)
    expect(stderr).toMatch(new RegExp(`${file}:\\d+:\\d+`))
  }
  expect(await list()).toMatchObject([
    { id: 'morning', state: 'missing' },
    { id: 'morning.2', state: 'missing' },
  ])
})

test('a runbook that is not valid keeps its own schedules, and none of a runbook that has gone', async () => {
  const { folder, run, list } = await project({
    'evening.yaml': morning.replace('name: morning', 'name: late'),
  })
  for (const id of ['morning', 'late']) expect((await run('schedules', 'pause', id)).code).toBe(0)
  for (const id of ['morning', 'late']) expect((await run('schedules', 'unpause', id)).code).toBe(0)
  const { rm, writeFile } = await import('node:fs/promises')
  await rm(`${folder}/runbooks/morning.yaml`)
  await writeFile(`${folder}/runbooks/evening.yaml`, `${head}name: late\nsteps: 7\n`)
  expect(await list()).toMatchObject([
    { id: 'late', state: 'active' },
    { id: 'morning', state: 'left' },
  ])
})

test('there is nothing to apply on the embedded engine', async () => {
  const { run } = await project()
  const { code, stderr } = await run('schedules', 'apply')
  expect(code).toBe(2)
  expect(stderr).toContain('"opsbook serve" executes the schedules')
})

test('whoever has paused all starting is named, for each schedule and for all', async () => {
  const { folder, run, list } = await project()
  await serving(folder, async () => {})
  expect((await run('triggers')).stdout).toContain('they are not paused')
  expect((await run('triggers', 'pause', '--by', 'ann', '--comment', 'the move')).code).toBe(0)
  const paused = { by: claimed('ann'), comment: 'the move' }
  expect(await list()).toMatchObject([
    { id: 'morning', state: 'paused', paused },
    { id: 'morning.2', state: 'paused', paused },
  ])
  const said =
    /automatic starts are paused by ann \(user \S+\) since \d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ: the move\n {2}opsbook triggers unpause/
  expect((await run('schedules')).stdout).toMatch(said)
  const { code, stdout } = await run('triggers')
  expect(code).toBe(0)
  expect(stdout).toMatch(said)
  expect(JSON.parse((await run('triggers', '-o', 'json')).stdout)).toMatchObject({ paused })
})

test.each([
  { words: ['events'], code: 0, says: 'no events in ' },
  { words: ['events', 'show', 'one'], code: 2, says: 'there are no events in ' },
  { words: ['schedules'], code: 0, says: 'morning  not applied yet' },
  { words: ['schedules', 'unpause', 'morning'], code: 2, says: 'there is no schedule morning' },
  { words: ['triggers'], code: 0, says: 'they are not paused' },
])('$words makes no folder', async ({ words, code, says }) => {
  const { folder, run } = await project()
  const answered = await run(...words)
  expect(answered.code).toBe(code)
  expect(answered.stdout + answered.stderr).toContain(says)
  const { existsSync } = await import('node:fs')
  expect(existsSync(`${folder}/data`)).toBe(false)
})

test('what a living serve carries out is no leftover in another folder, and is not forgotten', async () => {
  const { folder, run, list } = await project()
  await serving(folder, async () => {
    const elsewhere = { folder: await newFolder() }
    const there = ['--data-dir', `${folder}/data`]
    const { stdout } = await opsbook(['schedules', ...there], elsewhere)
    expect(stdout).toContain('morning.2  active')
    expect(stdout).toContain('an "opsbook serve" is running in ')
    const { code, stderr } = await opsbook(['schedules', 'delete', 'morning.2', ...there], elsewhere)
    expect(code).toBe(2)
    expect(stderr).toContain('opsbook schedules pause morning.2')
    expect(await list()).toMatchObject([{ is_served: true }, { id: 'morning.2', is_served: true }])
  })
  for (const one of await list()) expect(one).not.toHaveProperty('is_served')
  expect((await run('schedules', 'delete', 'morning.2')).code).toBe(0)
})
