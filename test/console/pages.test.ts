import { expect, it } from 'vitest'
import { type PageName, renderPage, type StateOf } from '../../src/console/pages/index.ts'
import { loopOf, runState } from '../browser/console/sample-run.ts'
import { ago, samples } from '../browser/console/sample-states.ts'
import { newFolder } from '../cli/support/opsbook.ts'
import { createJudge } from './support/judge.ts'
import { openConsole } from './support/open-console.ts'

const assets = { 'console.js': 'console.js', 'console.css': 'console.css' }

/** A page as the server renders it. */
function documentOf(state: StateOf<PageName>): string {
  return renderPage(state, assets)
}

/** The words of a page. */
function wordsOf(state: StateOf<PageName>): string {
  const document = documentOf(state)
  const [, main = ''] = /<main[^>]*>(.*)<\/main>/s.exec(document) ?? []
  return main
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll(/\s+/g, ' ')
}

const sampleOf = (path: string): StateOf<PageName> => samples[path] as StateOf<PageName>

type RunData = StateOf<'run'>['data']

/** The page of the sample run, changed. */
function runWith(tab: string, change: (data: RunData) => Partial<RunData>): StateOf<'run'> {
  const state = runState(tab)
  return { ...state, data: { ...state.data, ...change(state.data) } }
}

/** The same with another head, and other facts of one step. */
function stepWith(path: string, facts: object, head: Partial<RunData['view']['head']> = {}): StateOf<'run'> {
  return runWith('steps', ({ view }) => ({
    view: {
      ...view,
      head: { ...view.head, ...head },
      nodes: view.nodes.map((node) => (node.path === path ? { ...node, ...facts } : node)),
    },
  }))
}

it('of a run that no process executes, the time until its last event is shown, and nothing that rises', () => {
  const loop = { ...loopOf(100), in_flight: 0, interrupted: 20 }
  // Its process ended 100 seconds ago, 39 seconds after its start.
  const head = { status: 'interrupted', started_at: ago(137), ended_at: ago(100) } as const
  const words = wordsOf(stepWith('checks', { status: 'interrupted', loop }, head))
  expect(words).toContain('Took 39s')
  expect(words).not.toContain('Running for')
  expect(words).toMatch(/20 interrupted .* interrupted 1m ago (?!1m)/)
  expect(words).not.toContain('in flight')
})

it('a batch with failures that were tolerated says how many of its items failed', () => {
  const words = wordsOf(stepWith('prepare/probe', { failed_items: { total: 20, failed: 5 } }))
  expect(words).toContain('5 of 20 items failed succeeded')
})

it('a loop that is about to end names no time of its end', () => {
  const state = stepWith('checks', { loop: { ...loopOf(100), expected_end: ago(-1) } })
  expect(wordsOf(runState('steps'))).toContain('ends in 8m')
  expect(wordsOf(state)).not.toContain('ends ')
})

it('a step that has not begun is called as on the command line', () => {
  const words = wordsOf(runState('steps'))
  expect(words).toContain('core/log not started')
  expect(words).not.toContain('pending')
  expect(wordsOf(runState('items'))).not.toContain('pending')
})

it('the journal names the reasons to wait as the steps do', () => {
  const words = wordsOf(runState('journal'))
  expect(words).toContain('waits for the rate limit')
  expect(words).toContain('retries after a failure')
})

it('the page of a cancelled run says who cancelled it', () => {
  const by = { name: 'ann', source: 'flag', user: 'maria' } as const
  const state = runWith('steps', ({ run, view }) => ({
    run: { ...run, control_requests: [{ kind: 'cancel', by, at: ago(10), comment: 'not today' }] },
    view: { ...view, head: { ...view.head, status: 'cancelled', ended_at: ago(5) } },
  }))
  expect(wordsOf(state)).toContain('Cancelled by ann (user maria) 10s ago : not today')
})

it('each hint of a problem has a line of its own', () => {
  const state = samples['/problem'] as StateOf<'problem'>
  const problem = { ...state.data.problem, hint: 'did you mean one?\nopsbook runs lists runs' }
  expect(documentOf({ ...state, data: { problem } })).toContain(
    '<p class="dim">did you mean one?</p><p class="dim">opsbook runs lists runs</p>',
  )
})

it('the page of a start quotes the title, and tells what the plan says in plain words', () => {
  const state = samples['/runbooks/rotate-token/planned'] as StateOf<'start'>
  const planned = state.data.planned as NonNullable<typeof state.data.planned>
  const { plan } = planned
  const one = { least: 1, most: 1 }
  const totals = {
    ...plan.totals,
    calls_by_risk: { read: one, idempotent: one, create: one },
    shortest_ms: 0,
    shortest_if_every_condition_holds_ms: 0,
  }
  const runbook = { ...state.data.runbook, title: 'Look at hosts, and ask' }
  const quick = {
    ...state,
    data: { ...state.data, runbook, planned: { ...planned, plan: { ...plan, totals } } },
  }
  const words = wordsOf(quick)
  expect(words).toContain('Start "Look at hosts, and ask"')
  expect(words).toContain('1 read, 1 write that can be repeated, 1 that creates')
  expect(words).not.toContain('Shortest time')
  expect(wordsOf(state)).toContain('Shortest time 1.2s; 1m 01s if every condition holds')
})

it('the inputs of a runbook are marked as required, and a list is called so', () => {
  const state = samples['/runbooks/rotate-token'] as StateOf<'runbook'>
  const inputs = {
    type: 'object',
    required: ['hosts'],
    properties: { hosts: { type: 'array' }, size: { type: 'integer' } },
  }
  const words = wordsOf({ ...state, data: { ...state.data, runbook: { ...state.data.runbook, inputs } } })
  expect(words).toMatch(/hosts list required .*size integer optional/)
})

it.each(['/', '/inbox'])(
  '%s shows each call that a yes permits as a row of a table, and cuts nothing',
  (path) => {
    const words = wordsOf(sampleOf(path))
    expect(words).toContain('A yes permits 6 calls: ')
    expect(words).toContain(
      'publish incident/post-mortem/status/reset can be repeated post_mortem_id 00000000000000000000000000000081 status published',
    )
    expect(words).toMatch(
      /hosts\/token core\/http over crm 5 calls creates item hosts\[0\]\/token .* 2 more .* the last one saved/,
    )
    // What is long is folded: its beginning, and then all of it.
    expect(words).toMatch(
      /A text of more .*… 3\d\d characters A text of more .* is done about it now: the end\./,
    )
    expect(words).toContain(
      'later core/http can be repeated ‹not known yet› not known before steps.publish.outputs',
    )
    expect(documentOf(sampleOf(path))).not.toContain('seal ')
  },
)

it.each([
  [
    '/runs/x/resume',
    ['What happens Step Why Change to', 'no change', 'Update preview', ' Resume '],
    'Compare',
  ],
  ['/runs/x/decide', ['Other fields of the answer (optional)'], 'What no later'],
] as const)('%s speaks in plain words', (path, words, other) => {
  for (const word of words) expect(wordsOf(sampleOf(path))).toContain(word)
  expect(wordsOf(sampleOf(path))).not.toContain(other)
})

it('the page of a log-in leads nowhere else', () => {
  expect(documentOf(sampleOf('/login'))).not.toContain('<nav')
  expect(documentOf(sampleOf('/problem'))).toContain('<nav')
})

it('runs and lists that a problem names are links', () => {
  const state = samples['/problem'] as StateOf<'problem'>
  const hint = 'did you mean "run_20261123_085741_k3x9qd"?\n"opsbook runs" lists runs'
  const document = documentOf({ ...state, data: { problem: { ...state.data.problem, hint } } })
  expect(document).toContain(
    '"<a href="/runs/run_20261123_085741_k3x9qd">run_20261123_085741_k3x9qd</a>"?'.replaceAll(
      /^"|"(?=\?$)/g,
      '&quot;',
    ),
  )
  expect(document).toContain('<a href="/runs">the page &quot;Runs&quot;</a> lists runs')
})

it.each([
  ['/', 'Nothing runs. See one of the runbooks'],
  ['/inbox', 'Nothing waits for a person. What a run asks'],
] as const)('%s says what to do where nothing is there', (path, words) => {
  const state = samples[path] as StateOf<'now'>
  const data = { ...state.data, runs: { runs: [] }, inbox: { waiting: [] } }
  expect(wordsOf({ ...state, data }).replaceAll(/ (?=[.,])/g, '')).toContain(words)
})

it('an unknown outcome is explained once on the page of its run', () => {
  const error = { code: 'OutcomeUnknown', message: 'the answer was lost after it was sent' } as const
  const { waiting } = (samples['/inbox'] as StateOf<'inbox'>).data.inbox
  const entries = waiting.filter(({ kind }) => kind === 'unknown_outcome')
  const state = stepWith('checks', { status: 'unknown', error }, { status: 'unknown', error })
  const data = { ...state.data, inbox: { waiting: entries } }
  expect(wordsOf({ ...state, data }).split(error.message)).toHaveLength(2)
})

// The first schedule of the runbook is paused, the last one is not.
const starts =
  'Europe/Berlin paused on an event of pager where event.severity == "high" every 1h UTC next in 30m'

it.each([
  [
    '/',
    'Starts next All of: Starts next 1 schedule is paused. morning-diagnosis in 23h morning-diagnosis in 1d',
  ],
  ['/schedules', 'weekly-report paused by maria 0 9 * * 1 UTC once it is resumed'],
  ['/runbooks', starts],
  ['/runbooks/rotate-token', starts],
] as const)('%s names no time of a schedule that is paused', (path, words) => {
  expect(wordsOf(sampleOf(path)).replaceAll(/ (?=[.,:])/g, '')).toContain(words)
})

it.each([
  ['/events', 'idle', 'no match: where false</span> escalate-alert'],
  ['/events', 'bad', 'cannot start: inputs invalid</span> diagnose-host'],
  ['/events', 'held', 'held back: paused</span> roll-out-image'],
  ['/schedules', 'held', 'not started: missed</span>'],
])('%s says what a reason means, with the sign "%s": %s', (path, sign, says) => {
  const document = documentOf(sampleOf(path)).replaceAll(/<svg.*?<\/svg>/gs, '')
  expect(document).toContain(`<span class="status ${sign}">${says}`)
})

it('deliveries that were refused stand below the events, with the exact time', () => {
  const words = wordsOf(sampleOf('/events'))
  expect(words).toMatch(
    /pager the delivery is not authenticated HTTP 401, 3 times .* 2026-11-23 08:40:40 UTC – there is no/,
  )
})

it('the page Now shows the limits of connections beside those of actions', () => {
  const words = wordsOf(sampleOf('/'))
  expect(words).toMatch(/connection crm 12 of 80 a minute Calls were refused as too frequent\./)
  expect(words).toContain('monit/tools/catalog not known now')
})

it('a runbook outside the folder of the server has no link, since it has no page', () => {
  const document = documentOf(sampleOf('/schedules'))
  expect(document).toContain('href="/runbooks/morning-diagnosis"')
  expect(document).toContain('>weekly-report<')
  expect(document).not.toContain('href="/runbooks/weekly-report"')
})

it('a list of one value in a plan is seen to be a list', () => {
  expect(wordsOf(sampleOf('/runbooks/rotate-token/planned'))).toContain('scopes: ["read"]')
})

it('the samples of pages are documents as the description of the API says', async () => {
  const console = await openConsole(await newFolder(), { roles: ['admin'] })
  const judge = createJudge(await console.json('/api/v1/openapi.json'))
  const now = (samples['/'] as StateOf<'now'>).data
  const run = runState('items').data
  for (const [path, document] of [
    ['/api/v1/runs', now.runs],
    ['/api/v1/inbox', now.inbox],
    ['/api/v1/limits', now.limits],
    ['/api/v1/schedules', now.schedules],
    ...(samples['/runbooks'] as StateOf<'runbooks'>).data.runbooks.runbooks.map(
      (runbook) => ['/api/v1/runbooks/{name}', runbook] as const,
    ),
    ['/api/v1/events', (samples['/events'] as StateOf<'events'>).data.events],
    ['/api/v1/system', (samples['/system'] as StateOf<'system'>).data.system],
    ['/api/v1/runs/{id}/view', run.view],
    ['/api/v1/runs/{id}/items', run.items],
    ['/api/v1/runs/{id}/journal', run.journal],
  ] as const)
    expect([path, judge(path, document)]).toEqual([path, []])
})
