import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CommandResult, newFolder, opsbook } from './support/opsbook.ts'
import { badSteps, goodSteps } from './support/recorded-steps.ts'

const head = 'apiVersion: opsbook/v1\n'
const files = {
  'good.yaml': `${head}name: good
labels: { team: shop, tier: gold }
inputs: { type: object, properties: { host: { type: string, default: web-01 } } }
steps:
${goodSteps}
outputs: { token: "\${{ steps.application.outputs.client_token }}" }
`,
  'bad.yaml': `${head}name: bad
labels: { team: other }
steps:
  - id: hosts
    for-each: { items: ["web-01", "nope-1", "disk-01", "nope-3"], as: host, tolerate: all, max-parallel: 4 }
    steps:
      - { id: catalog, uses: monit/tools/catalog, with: { target_locator: "\${{ host }}" } }
${badSteps}`,
}

let folder: string
let ids: Readonly<Record<'good' | 'bad', string>>

function command(words: readonly string[]): Promise<CommandResult> {
  return opsbook([...words, '--data-dir', 'data'], { folder })
}

async function idOf(words: readonly string[]): Promise<string> {
  const { stdout, stderr } = await command(['run', ...words, '--sandbox', '-o', 'json'])
  return JSON.parse(stdout || stderr).run_id
}

describe('the record of two runs', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'opsbook-record-'))
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
    ids = { bad: await idOf(['bad.yaml']), good: await idOf(['good.yaml', '--id', 'ticket-1']) }
  })

  afterAll(() => rm(folder, { recursive: true, force: true }))

  test('runs: a table, the newest first', async () => {
    const { code, stdout } = await command(['runs'])
    expect(code).toBe(0)
    const lines = stdout.split('\n')
    expect(lines[0]).toMatch(/^ {2}RUN +RUNBOOK +STATUS +STARTED +TOOK$/)
    expect(lines[1]).toMatch(
      new RegExp(`^✔ ${ids.good} +good +succeeded +\\d{4}-\\d\\d-\\d\\d \\S+ +\\S+ +id ticket-1$`),
    )
    expect(lines[2]).toMatch(new RegExp(`^✖ ${ids.bad} +bad +failed .* outer/wrong: AssertionFailed$`))
  })

  test.each([
    ['America/New_York', /-0[45]:00$/],
    ['Asia/Kolkata', /\+05:30$/],
    ['UTC', /Z$/],
  ])('times name their zone: %s', async (zone, ending) => {
    const before = process.env['TZ']
    process.env['TZ'] = zone
    try {
      const { stdout } = await command(['runs'])
      const [shown = ''] = / {2}(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\S+) /.exec(stdout)?.slice(1) ?? []
      expect(shown).toMatch(ending)
      const { runs } = JSON.parse((await command(['runs', '-o', 'json'])).stdout)
      expect(Date.parse(shown)).toBe(Math.floor(Date.parse(runs[0].started_at) / 1000) * 1000)
      expect((await command(['runs', '--since', shown])).stdout).toContain(ids.good)
    } finally {
      if (before === undefined) delete process.env['TZ']
      else process.env['TZ'] = before
    }
  })

  test.each([
    [['--status', 'failed'], ['bad']],
    [
      ['--status', 'failed,succeeded'],
      ['good', 'bad'],
    ],
    [
      ['--status', 'failed', '--status', 'succeeded'],
      ['good', 'bad'],
    ],
    [['--status', 'running'], []],
    [['--runbook', 'good'], ['good']],
    [['--runbook', 'good.yaml'], ['good']],
    [['--label', 'team=shop', '--label', 'tier=gold'], ['good']],
    [['--label', 'team=shop', '--label', 'tier=tin'], []],
    [
      ['--since', '1h'],
      ['good', 'bad'],
    ],
    [
      ['--since', '2000-01-01'],
      ['good', 'bad'],
    ],
    [['--since', '2100-01-01T00:00:00Z'], []],
    [['--limit', '1'], ['good']],
  ])('runs %j', async (words, runbooks) => {
    const { code, stdout } = await command(['runs', '-o', 'json', ...words])
    expect(code).toBe(0)
    expect(JSON.parse(stdout).runs.map(({ runbook }: { runbook: string }) => runbook)).toEqual(runbooks)
  })

  test('runs says when there are more, and when none fits', async () => {
    expect((await command(['runs', '-n', '1'])).stdout).toContain('there are more')
    expect((await command(['runs'])).stdout).not.toContain('there are more')
    expect((await command(['runs', '--runbook', 'none'])).stdout).toBe('no run matches\n')
  })

  test.each([
    [['runs', '--status', 'faild'], 'did you mean "failed"?'],
    [['runs', '--since', 'yesterday'], '--since takes 2h, 7d'],
    [['runs', '--since', '2026-13-45'], '--since takes 2h, 7d'],
    [['runs', '--label', 'team'], '--label takes name=value'],
    [['runs', '--limit', '0'], 'a whole number from 1'],
    [['show', 'run_2'], '2 runs begin with "run_2"'],
    [['show', ''], 'the id of the run is empty'],
    [['show', 'nothing-like-it'], '"opsbook runs" lists runs'],
    [['resume', 'latest'], 'has succeeded: nothing is left to do'],
  ])('%j is wrong usage', async (words, said) => {
    const { code, stdout, stderr } = await command(words)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(said)
  })

  test('a mistyped id brings the nearest one', async () => {
    const typo = ids.bad.replace(/.$/, '!')
    expect((await command(['show', typo])).stderr).toContain(`did you mean "${ids.bad}"?`)
  })

  test.each([
    ['the id', () => ids.good],
    ['its beginning', () => ids.good.slice(0, -1)],
    ['its beginning without the word', () => ids.good.slice(4, -1)],
    ['the key', () => 'ticket-1'],
    ['latest', () => 'latest'],
  ])('a run is found by %s', async (_, given) => {
    const { code, stdout } = await command(['show', given(), '-o', 'json'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout).run_id).toBe(ids.good)
  })

  test('show: the steps inside steps, what failed where, what was let pass, caught and tolerated', async () => {
    const { code, stdout } = await command(['show', ids.bad])
    expect(code).toBe(0)
    for (const line of [
      /^✖ bad failed after \d\.\ds, with 2 warnings {2}run_/,
      /\n {2}✔ hosts +block +succeeded .* 2 of 4 items failed\n/,
      /\n {4}✖ hosts\[1\]\/catalog \(nope-1\) .* failed /,
      /\n {4}… 2 more steps that succeeded\n/,
      /\n {2}✔ export .* caught ResourceNotFound\n {4}✔ none /,
      /\n {2}! optional .* the run continued\n/,
      /\n {2}✖ outer .*\n {4}✔ fine .*\n {4}✖ wrong .*\n {2}· never .* not started\n/,
      /\n\nouter\/wrong: AssertionFailed {2}it does not hold\n {2}next +\S/,
      /\nfailed, and the run continued: optional: target_unavailable: /,
      /\ncaught: export: ResourceNotFound: /,
      /\ntolerated: hosts\/catalog: target_unavailable \(2\) in hosts\[[13]\] \(nope-[13]\), hosts\[[13]\] \(nope-[13]\): no agent/,
      /\n\nCompleted steps are not repeated. To try the rest again:\n {2}opsbook resume run_\S+ --data-dir data\n/,
      /\nStarted with\n {2}labels +team=other\n {2}connection +its own sandbox\n/,
    ])
      expect(stdout).toMatch(line)
    expect(stdout.match(/AssertionFailed/g)).toHaveLength(1)
  })

  test('show --full: every step of every item, and the journal with what was answered', async () => {
    const { stdout } = await command(['show', ids.bad, '--full'])
    for (const index of [0, 1, 2, 3]) expect(stdout).toContain(`hosts[${index}]/catalog`)
    expect(stdout).not.toContain('that succeeded')
    expect(stdout).toMatch(
      /\nJournal\n {2}\d{4}-\d\d-\d\d \(\S+\)\n {2}\d\d:\d\d:\d\d {4}started by \S+\n {2}\d\d:\d\d:\d\d {2}[✔✖] hosts\[(\d)\]\/catalog \((web-01|disk-01|nope-\1)\) {2}attempt 1 {2}monit\/tools\/catalog/,
    )
    expect(stdout).toMatch(/\n {14}ResourceNotFound: /)
  })

  test('sensitive values are masked in text wherever they stand, and revealed on demand', async () => {
    const token = JSON.parse((await command(['show', ids.good, '-o', 'json', '--reveal'])).stdout).outputs
      .token
    expect(token).toMatch(/^\S{35}$/)
    for (const words of [
      ['show'],
      ['show', '--full'],
      ['show', '--full', '-o', 'json'],
      ['logs'],
      ['logs', '-o', 'ndjson'],
      ['watch'],
    ]) {
      const masked = await command([...words, ids.good])
      expect(masked.stdout + masked.stderr, words.join(' ')).not.toContain(token)
      expect(masked.stdout + masked.stderr, words.join(' ')).toContain('(masked)')
      const shown = await command([...words, ids.good, '--reveal'])
      // Log lines are recorded without them.
      expect((shown.stdout + shown.stderr).includes(token), words.join(' ')).toBe(words.join() !== 'logs')
    }
  })

  test('show as a document: that of the run, and what else is recorded', async () => {
    const { stdout } = await command(['show', ids.good, '-o', 'json', '--full'])
    expect(JSON.parse(stdout)).toMatchObject({
      run_id: ids.good,
      key: 'ticket-1',
      runbook: 'good',
      labels: { team: 'shop', tier: 'gold' },
      status: 'succeeded',
      inputs: { host: 'web-01' },
      plan_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      steps: [{ path: 'application', status: 'succeeded' }, { path: 'say' }],
      warnings: [],
      questions: [],
      attempts: [{ path: 'application', attempt: 1, status: 'succeeded', request_id: expect.any(String) }],
    })
    const failed = JSON.parse((await command(['show', ids.bad, '-o', 'json'])).stdout)
    expect(failed.warnings).toEqual([
      expect.objectContaining({ path: 'optional', request_id: expect.any(String) }),
      expect.objectContaining({
        path: expect.stringMatching(/^hosts\[[13]\]\/catalog$/),
        item: expect.stringMatching(/^nope-[13]$/),
        code: 'target_unavailable',
        failed_items: { count: 2, paths: expect.arrayContaining(['hosts[1]/catalog', 'hosts[3]/catalog']) },
      }),
    ])
    expect(JSON.stringify(failed)).not.toContain('requestId')
    const full = JSON.parse((await command(['show', ids.bad, '-o', 'json', '--full'])).stdout)
    for (const list of ['steps', 'attempts'])
      expect(full[list]).toContainEqual(
        expect.objectContaining({ path: 'hosts[2]/catalog', index: 2, item: 'disk-01' }),
      )
  })

  test('logs: what happened and what was logged, with day and time', async () => {
    const lines = (await command(['logs', ids.bad])).stdout.trimEnd().split('\n')
    for (const line of lines) expect(line).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d) \S/)
    const texts = lines.map((line) => line.split(' ').slice(2).join(' '))
    expect(texts[0]).toBe(`run ${ids.bad} of bad started, 5 steps`)
    expect(texts).toContain('export/none: none')
    expect(texts).toContain('hosts[0]/catalog (web-01): started (monit/tools/catalog)')
    expect(texts).toContainEqual(expect.stringMatching(/^export: succeeded .* caught ResourceNotFound: /))
    expect(texts).toContainEqual(
      expect.stringMatching(/^optional: failed .*, the run continues: target_unavailable: /),
    )
    expect(texts.at(-1)).toBe('run failed: outer/wrong: AssertionFailed: it does not hold')
    expect((await command(['logs', ids.good])).stdout).toContain('say: warn: made (masked)')
  })

  test('logs --output ndjson: the events, their errors named like everything else', async () => {
    const { stdout } = await command(['logs', ids.bad, '-o', 'ndjson'])
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(events[0]).toMatchObject({ type: 'run_started', run_id: ids.bad })
    expect(events.at(-1)).toMatchObject({ type: 'run_finished', status: 'failed' })
    const failed = events.find(({ type }) => type === 'attempt_failed')
    expect(failed.error).toMatchObject({ code: 'target_unavailable', request_id: expect.any(String) })
    expect(events.some(({ type }) => type === 'attempt_succeeded')).toBe(true)
    const ofItems = events.filter(({ path }) => path?.startsWith('hosts[1]'))
    expect(ofItems.map(({ type }) => type)).toEqual(expect.arrayContaining(['item_started', 'item_finished']))
    for (const event of ofItems) expect(event).toMatchObject({ index: 1, item: 'nope-1' })
  })

  test('logs --follow of a run that is over ends', async () => {
    expect(await command(['logs', ids.good, '-f'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('run succeeded'),
    })
  })

  test.each([
    ['good', 0],
    ['bad', 1],
  ] as const)('watch of a run that is over: its report, and its exit code (%s)', async (name, code) => {
    const watched = await command(['watch', ids[name], '-q'])
    expect({ code: watched.code, stderr: watched.stderr }).toEqual({ code, stderr: '' })
    expect(watched.stdout).toContain(
      name === 'good' ? 'good succeeded after' : 'outer/wrong: AssertionFailed',
    )
  })

  test('watch --output ndjson: like that of the run', async () => {
    const { stdout, stderr } = await command(['watch', ids.bad, '-o', 'ndjson'])
    expect(stderr).toBe('')
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.filter(({ type }) => type === 'run_finished')).toHaveLength(1)
    expect(lines.at(-1)).toMatchObject({ type: 'run_finished', status: 'failed', steps: expect.any(Array) })
  })

  test('--id joins the run that has the key, and starts no second one', async () => {
    const { stdout } = await command([
      'run',
      'good.yaml',
      '--id',
      'ticket-1',
      '--sandbox',
      '-o',
      'json',
      '-q',
    ])
    expect(JSON.parse(stdout)).toMatchObject({ run_id: ids.good, is_joined: true })
    const other = await command(['run', 'bad.yaml', '--id', 'ticket-1', '--sandbox', '-q'])
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('belongs to') })
    expect(JSON.parse((await command(['runs', '-o', 'json'])).stdout).runs).toHaveLength(2)
  })
})

test.each([['show'], ['watch'], ['logs'], ['resume']])('%s where there are no runs yet', async (name) => {
  const { code, stdout, stderr } = await opsbook([name, 'latest', '--data-dir', 'data'], {
    folder: await newFolder(),
  })
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(/there are no runs in \S+data\n.*opsbook run/)
})

test('runs where there are none yet', async () => {
  const folder = await newFolder()
  const text = await opsbook(['runs', '--data-dir', 'data'], { folder })
  expect(text).toMatchObject({ code: 0, stdout: expect.stringMatching(/^no runs in \S+data yet\n$/) })
  const json = await opsbook(['runs', '--data-dir', 'data', '-o', 'json'], { folder })
  expect(JSON.parse(json.stdout)).toEqual({ runs: [] })
})
