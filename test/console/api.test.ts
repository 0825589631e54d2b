import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { opsbook } from '../cli/support/opsbook.ts'
import { sendRaw } from '../security/support/send-raw.ts'
import { createJudge } from './support/judge.ts'
import { openConsole } from './support/open-console.ts'
import { record } from './support/recorded.ts'

type Document = Readonly<Record<string, unknown>>

test('every document is that of the command, and as the description says', async () => {
  const recorded = await record()
  const { ended } = await recorded.asking()
  const console = await openConsole(recorded.dataDir, { folder: recorded.folder })
  const openapi = (await console.json('/api/v1/openapi.json')) as Document
  const judge = createJudge(openapi)
  const { runs } = await recorded.document('runs')
  const [asking, create, loop] = runs.map(({ run_id }: Document) => run_id)
  const addresses: readonly (readonly [path: string, address: string, ...command: string[]])[] = [
    ['/api/v1/runs', '/api/v1/runs', 'runs'],
    ['/api/v1/runs', '/api/v1/runs?status=unknown,failed', 'runs', '--status', 'unknown,failed'],
    ['/api/v1/runs', '/api/v1/runs?label=team=shop&since=1h', 'runs', '--label', 'team=shop'],
    ...[asking, create, loop].map(
      (id) => ['/api/v1/runs/{id}', `/api/v1/runs/${id}`, 'show', String(id)] as const,
    ),
    ['/api/v1/inbox', '/api/v1/inbox', 'inbox'],
    ['/api/v1/events', '/api/v1/events', 'events'],
    ['/api/v1/schedules', '/api/v1/schedules', 'schedules'],
  ]
  const timeless = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value).replaceAll(recorded.dataDir, 'data'))
  for (const [path, address, ...command] of addresses) {
    const answer = await console.json(address)
    expect([address, judge(path, answer)]).toEqual([address, []])
    expect([address, timeless(answer)]).toEqual([address, timeless(await recorded.document(...command))])
  }
  for (const id of [asking, create, loop]) {
    for (const part of ['view', 'journal'])
      expect([
        part,
        judge(`/api/v1/runs/{id}/${part}`, await console.json(`/api/v1/runs/${id}/${part}`)),
      ]).toEqual([part, []])
    const drawing = await console.get(`/api/v1/runs/${id}/graph.svg`)
    expect([drawing.headers['content-type'], drawing.text]).toEqual([
      'image/svg+xml',
      expect.stringMatching(/^<svg/),
    ])
  }
  expect(judge('/api/v1/runbooks', await console.json('/api/v1/runbooks'))).toEqual([])
  for (const name of ['loop', 'broken']) {
    const answer = (await console.json(`/api/v1/runbooks/${name}`)) as Document
    expect([name, judge('/api/v1/runbooks/{name}', answer)]).toEqual([name, []])
    expect(answer['problem'] === undefined).toBe(name === 'loop')
  }
  expect(judge('/api/v1/system', await console.json('/api/v1/system'))).toEqual([])
  // The description names every route that answers, and no other.
  const described = Object.keys(openapi['paths'] as object).toSorted()
  const there = console.routes.flatMap(({ path }) =>
    path.startsWith('/api/') ? path.replaceAll(/:(\w+)/g, '{$1}').replace('*', '{name}') : [],
  )
  expect(described).toEqual([...new Set(there)].toSorted())
  expect(console.defects).toEqual([])
  await recorded.command('cancel', 'latest', '--now')
  await ended
})

const twoGroups = `apiVersion: opsbook/v1
name: look
steps:
  - id: look
    uses: monit/tools/invoke
    with: { target_locator: web-01, tools: [${Array.from({ length: 9 }, () => '{ tool: os.overview }').join(', ')}] }
`

test('a step shows each attempt with what it was sent and what it answered, as the command does', async () => {
  const recorded = await record()
  await writeFile(join(recorded.folder, 'look.yaml'), twoGroups)
  await recorded.command('run', 'look.yaml', '-q')
  const console = await openConsole(recorded.dataDir)
  const judge = createJudge((await console.json('/api/v1/openapi.json')) as Document)
  const { attempts } = await recorded.document('show', 'latest', '--full')
  const path = 'look'
  expect(attempts).toHaveLength(2)
  const address = `/api/v1/runs/latest/steps/${encodeURIComponent(path)}`
  const whole = (await console.json(address)) as Document
  expect(judge('/api/v1/runs/{id}/steps/{name}', whole)).toEqual([])
  expect(whole).toMatchObject({ path, step: { path, status: 'succeeded' }, attempts })
  expect(attempts[0]).toMatchObject({ sent: { input: { target_locator: 'web-01' }, is_read: true } })
  const page = (await console.json(`${address}?limit=1&after=1`)) as Document
  expect(page['attempts']).toEqual((whole['attempts'] as readonly unknown[]).slice(1, 2))
  const { text } = await console.get(`/runs/latest?tab=step&step=${path}`, { accept: 'text/html' })
  expect(text).toMatch(/<summary>Sent .*?target_locator/s)
})

const failures = `apiVersion: opsbook/v1
name: failures
steps:
  - id: sweep
    for-each: { items: [1, 2, 3], as: host, tolerate: all }
    steps:
      - id: parts
        for-each: { items: [a, b, c], as: part, tolerate: all }
        uses: core/assert
        with: { that: ["\${{ part != 'b' }}"], message: it is b }
  - { id: late, for-each: { items: [x, y] }, uses: core/assert, with: { that: ["\${{ 1 > 2 }}"], message: never } }
`

test('a step names the items that failed in it, by what they say, and an item that was not begun', async () => {
  const recorded = await record()
  await writeFile(join(recorded.folder, 'failures.yaml'), failures)
  await recorded.command('run', 'failures.yaml', '-q')
  const console = await openConsole(recorded.dataDir)
  const judge = createJudge((await console.json('/api/v1/openapi.json')) as Document)
  const step = async (path: string): Promise<Document> => {
    const document = await console.json(`/api/v1/runs/latest/steps/${encodeURIComponent(path)}`)
    expect(judge('/api/v1/runs/{id}/steps/{name}', document)).toEqual([])
    return document as Document
  }
  const b = { code: 'AssertionFailed', message: 'it is b', item: 'b', index: 1 }
  const paths = [0, 1, 2].map((index) => `sweep[${index}]/parts[1]`)
  expect((await step('sweep'))['failed']).toEqual([
    { ...b, path: paths[0], failed_items: { count: 3, paths } },
  ])
  expect((await step('sweep[2]'))['failed']).toEqual([
    { ...b, path: paths[2], failed_items: { count: 1, paths: [paths[2]] } },
  ])
  expect(await step('sweep[2]')).toMatchObject({ item_status: 'succeeded', has_tolerated: true })
  const late = await step('late[0]')
  expect(late).toMatchObject({ item_status: 'failed' })
  expect(late).not.toHaveProperty('has_tolerated')
  const { text: shown } = await console.get('/runs/latest?tab=step&step=late%5B0%5D', { accept: 'text/html' })
  expect(shown).toMatch(/aria-label="Step late\[0\]".*?class="status[^"]*".*?failed/s)
  expect(await step('late[1]')).toMatchObject({
    path: 'late[1]',
    item: 'y',
    is_not_begun: true,
    attempts: [],
  })
  expect(await console.json('/api/v1/runs/latest/items?step=late')).toMatchObject({
    items: [{ item: 'x' }, { item: 'y', status: 'pending' }],
  })
  for (const path of ['late[2]', 'sweep[9]/parts'])
    expect(await console.json(`/api/v1/runs/latest/steps/${encodeURIComponent(path)}`)).toMatchObject({
      code: 'StepNotFound',
    })
  const page = await console.json('/api/v1/runs/latest/items?step=sweep&status=tolerated&after=0')
  expect(page).toMatchObject({
    items: [
      { index: 1, status: 'succeeded' },
      { index: 2, status: 'succeeded' },
    ],
  })
  const { text } = await console.get('/runs/latest', { accept: 'text/html' })
  expect(text).toMatch(/Failures that the run let pass.*it is b.*and 2 more items failed alike/s)
})

test('a step that was repeated is shown as it ended last', async () => {
  const recorded = await record()
  const file = join(recorded.folder, 'failures.yaml')
  await writeFile(file, failures)
  await recorded.command('run', 'failures.yaml', '-q')
  await writeFile(file, failures.replaceAll("part != 'b'", 'size(part) == 1').replaceAll('1 > 2', '2 > 1'))
  await recorded.command('resume', 'latest', '--runbook', 'failures.yaml', '--repeat', 'sweep', '-q')
  const console = await openConsole(recorded.dataDir)
  for (const path of ['sweep', 'sweep[1]']) {
    const step = await console.json(`/api/v1/runs/latest/steps/${encodeURIComponent(path)}`)
    expect(step).toMatchObject({ failed: [] })
    expect(step).not.toHaveProperty('has_tolerated')
  }
  expect(await console.json('/api/v1/runs/latest/steps/sweep%5B1%5D')).toMatchObject({
    item_status: 'succeeded',
  })
})

test('a create whose outcome a cancellation has left unknown is to be found out about before another start', async () => {
  const recorded = await record()
  await recorded.command('cancel', 'latest')
  const console = await openConsole(recorded.dataDir)
  const [{ path }] = (await recorded.document('show', 'latest')).steps
  const step = await console.json(`/api/v1/runs/latest/steps/${encodeURIComponent(path)}`)
  const advice = 'Find out by hand whether it was executed before you start the runbook again.'
  expect(step).toMatchObject({ error: { code: 'Cancelled' }, advice, attempts: [{ advice }] })
  const { stdout } = await recorded.command('show', 'latest', path)
  expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(new RegExp(`${advice}.*${advice}`))
  expect(stdout).not.toContain('Start again')
})

test('lists and journals come in pages that lose nothing and repeat nothing', async () => {
  const recorded = await record()
  for (let more = 0; more < 3; more++) await recorded.command('run', 'loop', '-q')
  const console = await openConsole(recorded.dataDir)
  const pages = async (address: string, list: string): Promise<readonly unknown[]> => {
    const found: unknown[] = []
    for (let after = ''; ; ) {
      const page = (await console.json(`${address}?limit=2${after}`)) as Document
      found.push(...(page[list] as readonly unknown[]))
      if (page['next'] === undefined) return found
      after = `&after=${page['next']}`
    }
  }
  const runs = (await console.json('/api/v1/runs')) as Document
  expect(runs['runs']).toHaveLength(5)
  expect(await pages('/api/v1/runs', 'runs')).toEqual(runs['runs'])
  const journal = (await console.json('/api/v1/runs/latest/journal?limit=1000')) as Document
  expect(await pages('/api/v1/runs/latest/journal', 'events')).toEqual(journal['events'])
  const lines = (await recorded.command('logs', 'latest', '--output', 'ndjson')).stdout.trimEnd().split('\n')
  expect((journal['events'] as readonly Document[]).map(({ seq: _, ...event }) => event)).toEqual(
    lines.map((line) => JSON.parse(line)),
  )
})

test('runs are found by what their lists show and by inputs, and never by a sensitive one', async () => {
  const recorded = await record()
  await writeFile(
    join(recorded.folder, 'host.yaml'),
    `apiVersion: opsbook/v1
name: host
inputs: { type: object, properties: { host: { type: string }, pin: { type: array, items: { type: string, writeOnly: true } } } }
steps: [{ id: a, uses: core/log, with: { message: hi } }]
`,
  )
  await writeFile(
    join(recorded.folder, 'open.yaml'),
    `apiVersion: opsbook/v1
name: open
inputs: { type: object, properties: { host: { type: string } } }
steps: [{ id: a, uses: core/log, with: { message: hi } }]
`,
  )
  await recorded.command('run', 'host.yaml', '-q', '--input', 'host=Find-me', '--input', 'pin=[abc, host]')
  await recorded.command('run', 'open.yaml', '-q', '--input', 'host=Über-Find-me')
  const console = await openConsole(recorded.dataDir)
  const found = async (query: string): Promise<readonly unknown[]> =>
    ((await console.json(`/api/v1/runs?${query}`)) as { readonly runs: readonly Document[] }).runs.map(
      ({ runbook }) => runbook,
    )
  expect(await found('text=find-ME')).toEqual(['open'])
  expect(await found(`text=${encodeURIComponent('über')}`)).toEqual(['open'])
  expect(await found('text=team%3Dshop')).toEqual(['loop'])
  expect(await found('text=abc')).toEqual([])
  expect(await found('text=sesame')).toEqual([])
  const [{ run_id: id }] = (await recorded.document('runs')).runs
  expect(await found(`text=${id.slice(-6)}&since=1h`)).toEqual(['open'])
  expect(await found(`text=${id.slice(-6)}&until=2026-01-31`)).toEqual([])
  const listed = await recorded.document('runs', '--text', 'find-ME', '--until', '2099-01-01')
  expect(listed.runs).toMatchObject([{ run_id: id }])
  expect((await recorded.document('runs', '--until', '2026-01-31')).runs).toEqual([])
  // A day as an end means all of it.
  expect(await found(`text=${id.slice(-6)}&until=${new Date().toLocaleDateString('sv')}`)).toEqual(['open'])
})

const refused = [
  ['/api/v1/runs/none', 404, 'RunNotFound', /lists runs/],
  ['/api/v1/runs?status=odd', 400, 'InvalidUsage', /./],
  ['/api/v1/runs?limit=0', 400, 'InvalidUsage', undefined],
  ['/api/v1/runs?limit=many', 400, 'InvalidUsage', undefined],
  ['/api/v1/runs?after=odd', 400, 'InvalidUsage', /next/],
  ['/api/v1/runs?odd=1', 400, 'InvalidUsage', undefined],
  ['/api/v1/runs?since=yesterday', 400, 'InvalidUsage', undefined],
  ['/api/v1/runbooks/none', 404, 'RunbookNotFound', /runbooks by name/],
  ['/api/v1/events/one/none', 404, 'EventNotFound', undefined],
  ['/api/v1/runs/latest/steps/make%2Fx', 404, 'StepNotFound', /make/],
  ['/api/v1/runs/latest/steps/make%5B2%5D', 404, 'StepNotFound', undefined],
  ['/runs/latest?tab=step&step=hots', 404, 'StepNotFound', undefined],
  ['/api/v1/elsewhere', 404, 'NotFound', undefined],
] as const

test('what cannot be read is refused as a problem with a code and a hint', async () => {
  const recorded = await record()
  const console = await openConsole(recorded.dataDir, { folder: recorded.folder })
  for (const [path, status, code, hint] of refused) {
    const answer = await console.get(path)
    const problem = JSON.parse(answer.text)
    expect([path, answer.status, answer.headers['content-type']]).toEqual([
      path,
      status,
      expect.stringMatching(/^application\/problem\+json/),
    ])
    expect(problem).toMatchObject({ status, code, type: 'about:blank', detail: expect.any(String) })
    if (hint) expect(problem.hint).toMatch(hint)
  }
  expect(console.defects).toEqual([])
})

test('the page of a problem speaks of no flags, and says how much waits for a person', async () => {
  const recorded = await record()
  const console = await openConsole(recorded.dataDir, { folder: recorded.folder, roles: ['admin'] })
  for (const [path, status, detail] of [
    ['/runs?since=yesterday', 400, 'since takes 2h'],
    ['/runs?until=yesterday', 400, 'until takes 2h'],
    ['/runs?label=x', 400, 'label takes name=value'],
    ['/events?since=yesterday', 400, 'since takes 2h'],
    ['/api/v1/audit?since=yesterday', 400, 'since takes 2h'],
    ['/elsewhere', 404, 'there is nothing at this address'],
  ] as const) {
    const answer = await console.get(path, { accept: 'text/html' })
    expect([path, answer.status, answer.text]).toEqual([path, status, expect.stringContaining(detail)])
    expect(answer.text).not.toMatch(/--(since|until|label)/)
    if (!path.startsWith('/api')) expect(answer.text).toMatch(/>1<span class="unseen"> waiting</)
  }
})

function eventsOf(data: Record<string, object>): readonly number[] {
  const { events } = data['journal'] as { readonly events: readonly { readonly seq: number }[] }
  return events.map(({ seq }) => seq)
}

test('the page of a run holds its data where it shows them, and its steps as a screen does', async () => {
  const recorded = await record()
  const { ended } = await recorded.asking()
  const console = await openConsole(recorded.dataDir)
  const stateOf = async (tab: string): Promise<Record<string, object>> => {
    const { text } = await console.get(`/runs/latest?tab=${tab}`, { accept: 'text/html' })
    const [, state = ''] = /<script type="application\/json" id="state">(.*?)<\/script>/s.exec(text) ?? []
    return JSON.parse(state).data
  }
  const { inputs, questions, artifacts, steps, ...head } = await console.json('/api/v1/runs/latest')
  expect(steps).not.toEqual([])
  expect((await stateOf('steps'))['run']).toEqual(
    expect.objectContaining({ run_id: head['run_id'], status: 'waiting' }),
  )
  expect(Object.keys((await stateOf('items'))['run'] ?? {})).not.toEqual(
    expect.arrayContaining(['steps', 'inputs']),
  )
  expect((await stateOf('data'))['run']).toMatchObject({ inputs, questions, artifacts, steps: [] })
  const [first, ...others] = eventsOf(await stateOf('journal'))
  expect(eventsOf(await stateOf(`journal&after=${first}`))).toEqual(others)
  const step = encodeURIComponent('hosts[0]/ok')
  const asked = await stateOf(`step&step=${step}`)
  expect(asked['step']).toMatchObject({
    questions: [{ path: 'hosts[0]/ok', status: 'open', answers: [] }],
    attempts: [],
  })
  const shown = await recorded.command('show', 'latest', 'hosts[0]/ok')
  expect(shown.stdout).toMatch(/^hosts\[0\]\/ok {2}waiting /)
  for (const item of [0, 1]) await recorded.command('reject', 'latest', `hosts[${item}]/ok`)
  expect(await console.json(`/api/v1/runs/latest/steps/${step}`)).toMatchObject({
    questions: [{ status: 'answered', answers: [{ approved: false }] }],
  })
  await ended
})

test('the filter form of runs sends its empty fields, and a step that calls nothing says why it failed', async () => {
  const { folder, dataDir } = await record()
  const file = `apiVersion: opsbook/v1
name: ends
steps: [{ id: stop, uses: core/fail, with: { code: NotToday, message: the gate is closed } }]
`
  await writeFile(`${folder}/ends.yaml`, file)
  await opsbook(['run', 'ends.yaml', '--data-dir', dataDir, '-q'], { folder })
  const console = await openConsole(dataDir, { folder })
  const listed = await console.get('/runs?text=ends&label=&runbook=&since=&until=', { accept: 'text/html' })
  expect([listed.status, listed.text]).toEqual([200, expect.stringContaining('ends')])
  expect(await console.json('/api/v1/runs/latest/steps/stop')).toMatchObject({
    error: { code: 'NotToday', message: 'the gate is closed' },
    attempts: [],
  })
  const { stdout } = await opsbook(['show', 'latest', 'stop', '--data-dir', dataDir], { folder })
  expect(stdout).toMatch(/^stop {2}failed .*\nNotToday {2}the gate is closed\n\n/)
})

test('a data directory without runs has empty lists', async () => {
  const { folder } = await record()
  const console = await openConsole(`${folder}/none`, { folder })
  expect(await console.json('/api/v1/runs')).toEqual({ runs: [] })
  expect(await console.json('/api/v1/inbox')).toEqual({ waiting: [] })
  expect(await console.json('/api/v1/events')).toEqual({ events: [] })
  expect((await console.get('/api/v1/runs/latest')).status).toBe(404)
  expect([(await console.get('/', { accept: 'text/html' })).status, console.defects]).toEqual([200, []])
})

test('"latest" is the newest run, also where an earlier one was looked at', async () => {
  const recorded = await record()
  const console = await openConsole(recorded.dataDir)
  const ids = async () => {
    const { run_id: ofView } = (await console.json('/api/v1/runs/latest/view')) as Document
    const { run_id: ofRun } = (await console.json('/api/v1/runs/latest')) as Document
    return [ofView, ofRun]
  }
  const [before] = await ids()
  await recorded.command('run', 'loop', '-q')
  const [ofView, ofRun] = await ids()
  expect([ofView === before, ofView === ofRun]).toEqual([false, true])
})

test('what a browser is refused is a page', async () => {
  const console = await openConsole((await record()).dataDir, { roles: ['approver'] })
  const asked = { accept: 'text/html' }
  const form = { ...asked, origin: console.url, 'content-type': 'application/x-www-form-urlencoded' }
  const post = (path: string, cookie: string, body: string) =>
    sendRaw(console.url + path, { ...form, cookie }, { method: 'POST', body })
  for (const [{ status, headers, text }, code] of [
    [await console.get('/runs/none', asked), 'RunNotFound'],
    [await console.get('/elsewhere', asked), 'NotFound'],
    [await console.get('/', { ...asked, host: 'evil.example' }), 'WrongHost'],
    [await post('/login', '', 'code=used'), 'CodeNotValid'],
    [await post('/logout', console.cookie, 'csrf=guessed'), 'ForeignPage'],
    [await post('/runs/latest/cancel', console.cookie, 'csrf=guessed'), 'RoleMissing'],
  ] as const) {
    expect([code, status >= 400, headers['content-type']]).toEqual([code, true, 'text/html; charset=utf-8'])
    expect(text).toMatch(new RegExp(`<h1>[\\s\\S]*<span class="code">${code}`))
  }
  // A stranger is told nothing of the console.
  expect((await post('/login', '', 'code=used')).text).not.toContain(console.about)
})

test('pages show how many entries wait, and the checks of the machine are made once in a while', async () => {
  const recorded = await record()
  await recorded.asking()
  let checks = 0
  const console = await openConsole(recorded.dataDir, {
    folder: recorded.folder,
    system: async () => ({ ok: true, version: '0.0.0', checks: [], number: ++checks }),
  })
  const { text } = await console.get('/runs', { accept: 'text/html' })
  // Two questions that are shown together, and an unknown outcome.
  expect(text).toContain('<span class="count">2<span class="unseen"> waiting')
  for (const path of ['/system', '/api/v1/system', '/system'])
    expect((await console.get(path)).status).toBe(200)
  expect(checks).toBe(1)
})

test('a run can be seen while opsbook.yaml has a mistake', async () => {
  const recorded = await record()
  await writeFile(join(recorded.folder, 'opsbook.yaml'), 'apiVersion: opsbook/v1\nconnections: [')
  const console = await openConsole(recorded.dataDir, { folder: recorded.folder })
  expect(await console.json('/api/v1/runs/latest/view')).toMatchObject({ head: { runbook: 'create' } })
  expect(await console.json('/api/v1/limits')).toHaveProperty('limits')
})

test('the actions that say what a call answers are loaded at most once a minute', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const recorded = await record()
  const console = await openConsole(recorded.dataDir, { folder: recorded.folder })
  const commands = async (): Promise<string> => JSON.stringify(await console.json('/api/v1/inbox'))
  // No later step reads the answer, so that none is to be given. Without the actions, this is not known.
  expect(await commands()).not.toContain('--outputs')
  await writeFile(join(recorded.folder, 'opsbook.yaml'), 'connections: [')
  vi.setSystemTime(Date.now() + 50_000)
  expect(await commands()).not.toContain('--outputs')
  vi.setSystemTime(Date.now() + 20_000)
  expect(await commands()).toContain('--outputs')
})
