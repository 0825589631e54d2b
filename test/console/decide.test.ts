/** An unknown outcome is resolved through the console as it was shown, once. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { expectRefused, type OpenConsole, openConsole } from './support/open-console.ts'
import { type Recorded, record } from './support/recorded.ts'

interface Staged {
  readonly recorded: Recorded
  readonly console: OpenConsole
  readonly runId: string
  readonly outcome: Outcome
}

interface Outcome {
  readonly path: string
  readonly shown: string
}

interface Stage {
  readonly role?: 'operator' | 'approver'
  /** What others do after the console has read the run, and before the engine decides. */
  readonly between?: (recorded: Recorded) => Promise<unknown>
}

/** A console beside a run whose create has an unknown outcome. */
async function stage({ role = 'approver', between }: Stage = {}): Promise<Staged> {
  const recorded = await record({ lost: 2 })
  const console = await openConsole(recorded.dataDir, {
    folder: recorded.folder,
    roles: [role],
    through: (engine) => ({
      ...engine,
      async decideOutcome(...given) {
        await between?.(recorded)
        return engine.decideOutcome(...given)
      },
    }),
  })
  const { runs } = await console.json('/api/v1/runs?runbook=create')
  const runId = runs[0]?.run_id ?? ''
  const { outcomes } = await outcomesOf(console, runId)
  return { recorded, console, runId, outcome: outcomes[0] as Outcome }
}

async function outcomesOf(
  console: OpenConsole,
  runId: string,
): Promise<{ readonly outcomes: readonly Outcome[] }> {
  return await console.json(`/api/v1/runs/${runId}/outcomes`)
}

test('what was sent is shown, and a program resolves it by its word', async () => {
  const { console, recorded, runId, outcome } = await stage()
  const shown = await recorded.document('show', runId)
  expect(outcome).toMatchObject(shown.unknown_outcomes[0] ?? {})
  expect(outcome).toMatchObject({
    path: 'make',
    sent: { input: { application_name: 'shop' } },
    find_out: expect.any(String),
    output: { type: 'object' },
    reads: [],
  })
  const address = `/api/v1/runs/${runId}/decisions`
  const sent = {
    step: 'make',
    shown: outcome.shown,
    decision: 'succeeded',
    outputs: { application_id: 'app_1' },
  }
  const by = { name: 'ada', source: 'console', verified: true }
  expect(await console.act(address, { ...sent, comment: 'it is there' })).toEqual([
    200,
    { run_id: runId, step: 'make', decision: 'succeeded', by, left: [] },
  ])
  expect(await recorded.document('show', runId)).toMatchObject({
    decisions: [{ path: 'make', decision: 'succeeded', by, comment: 'it is there' }],
  })
})

test('what somebody has resolved meanwhile is refused by name, in the console and on the command line', async () => {
  const { console, recorded, runId, outcome } = await stage()
  const bob = ['decide', runId, 'make', '--by', 'bob', '--no-resume', '--as']
  expect(await recorded.command(...bob, 'failed')).toMatchObject({ code: 0 })
  const who = /make of \S+ is resolved already: as failed by bob .* at \d{4}-/
  const sent = { step: 'make', shown: outcome.shown, decision: 'retry' }
  expect(await console.act(`/api/v1/runs/${runId}/decisions`, sent)).toMatchObject([
    409,
    { code: 'InvalidInput', detail: expect.stringMatching(who), outcomes: [] },
  ])
  const form = { shown: outcome.shown, do: 'retry' }
  const page = await console.send(`/runs/${runId}/decide/make`, form)
  expect([page.status, page.text]).toEqual([409, expect.stringMatching(who)])
  // Its fields are not read: there is nothing to decide.
  const fields = { ...form, do: 'succeeded', 'set:application_id': 'app_1' }
  const late = await console.send(`/runs/${runId}/decide/make`, fields)
  expect([late.status, late.text]).toEqual([409, expect.stringMatching(who)])
  const gone = await console.get(`/runs/${runId}/decide/make`, { accept: 'text/html' })
  expect([gone.status, gone.text]).toEqual([404, expect.stringContaining('or it is resolved')])
  const again = await recorded.command(...bob, 'retry')
  expect([again.code, again.stderr]).toEqual([2, expect.stringMatching(who)])
  expect(again.stderr).toContain(`opsbook decide ${runId} make --as … --replace`)
  expect(await recorded.command(...bob, 'retry', '--replace')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('replaces failed by bob'),
  })
})

test('of two people who decide at once, one is told who was faster', async () => {
  const { console, runId, outcome } = await stage()
  const other = await openConsole(console.about, { roles: ['approver'] })
  const decided = await Promise.all(
    [console, other].map(({ post }) =>
      post(`/api/v1/runs/${runId}/decisions`, { step: 'make', shown: outcome.shown, decision: 'failed' }),
    ),
  )
  expect(decided.map(({ status }) => status).toSorted()).toEqual([200, 409])
  expect(decided.find(({ status }) => status === 409)?.text).toContain('by ada')
  expect(await console.json(`/api/v1/runs/${runId}`)).toMatchObject({ decisions: [{ decision: 'failed' }] })
})

test('a call that was decided and made again between the check and the act is not decided', async () => {
  const { console, runId, outcome } = await stage({
    async between(recorded) {
      const { runs } = await recorded.document('runs', '--runbook', 'create')
      const again = await recorded.command('decide', runs[0]?.run_id ?? '', 'make', '--as', 'retry', '-q')
      expect(again).toMatchObject({ code: 4 })
    },
  })
  const sent = { step: 'make', shown: outcome.shown, decision: 'succeeded' }
  const refused = await console.act(`/api/v1/runs/${runId}/decisions`, sent)
  const { outcomes } = await outcomesOf(console, runId)
  expect(refused).toMatchObject([
    409,
    { detail: expect.stringContaining('has changed since it was shown'), outcomes },
  ])
  expect(outcomes).toMatchObject([{ path: 'make', attempt: 1 }])
  expect(outcomes[0]?.shown).not.toBe(outcome.shown)
  expect(await console.json(`/api/v1/runs/${runId}`)).toMatchObject({ decisions: [{ decision: 'retry' }] })
})

const refusals: readonly (readonly [document: object, status: number, says: string])[] = [
  [{ step: 'make', decision: 'failed' }, 400, 'shown'],
  [{ step: 'make', shown: 'SHOWN', decision: 'perhaps' }, 400, 'decision'],
  [{ step: 'make', shown: '1-0123456789', decision: 'failed' }, 409, 'has changed since it was shown'],
  [{ step: 'none', shown: '1-0123456789', decision: 'failed' }, 409, 'none'],
  [{ step: 'make', shown: 'SHOWN', decision: 'failed', outputs: {} }, 400, 'outputs need the decision'],
  [
    { step: 'make', shown: 'SHOWN', decision: 'succeeded', outputs: { odd: 1 } },
    400,
    'create answers: there is no',
  ],
  [
    { step: 'make', shown: 'SHOWN', decision: 'succeeded', outputs: { application_id: [1, 2] } },
    400,
    'create answers: application_id must be a string, not an array',
  ],
]

test('what does not fit is refused, and nothing is recorded', async () => {
  const { console, runId, outcome } = await stage()
  const shown = (document: object) => JSON.parse(JSON.stringify(document).replace('SHOWN', outcome.shown))
  await expectRefused(
    console,
    refusals.map(([document, ...others]) => [`/api/v1/runs/${runId}/decisions`, shown(document), ...others]),
  )
  expect(await console.json(`/api/v1/runs/${runId}`)).toMatchObject({ status: 'unknown', decisions: [] })
  expect(console.defects).toEqual([])
})

test('the form works without scripts, and leads to the resume once everything is resolved', async () => {
  const { console, runId, outcome } = await stage()
  const inbox = await console.get('/inbox', { accept: 'text/html' })
  expect(inbox.text).toContain(`href="/runs/${runId}/decide/make"`)
  const page = await console.get(`/runs/${runId}/decide/make`, { accept: 'text/html' })
  expect(page.text).toMatch(/application_name[\s\S]*name="set:application_id"/)
  const given = { shown: outcome.shown, comment: 'seen & counted', 'set:application_id': 'app_1' }
  const before = await console.get(`/runs/${runId}/resume`, { accept: 'text/html' })
  expect(before.text).toContain('its outcome is unknown')
  const nothing = await console.send(`/runs/${runId}/decide/make`, given)
  expect([nothing.status, nothing.text]).toEqual([
    400,
    expect.stringContaining('say what you have found out'),
  ])
  expect(nothing.text).toContain('value="seen &amp; counted"')
  const denied = await console.send(`/runs/${runId}/decide/make`, { ...given, do: 'failed' })
  expect([denied.status, denied.text]).toEqual([400, expect.stringContaining('outputs need the decision')])
  const done = await console.send(`/runs/${runId}/decide/make`, { ...given, do: 'succeeded' })
  expect([done.status, done.headers.location]).toEqual([303, `/runs/${runId}/resume`])
  const { text } = await console.get(`/runs/${runId}/resume`, { accept: 'text/html' })
  expect(text).toContain('the decision is recorded')
  expect(text).not.toContain('its outcome is unknown')
})

test('an answer that lacks what later steps read is refused in the words of who sends it', async () => {
  const { console, recorded } = await stage()
  const reading = `apiVersion: opsbook/v1
name: reading
steps:
  - { id: make, uses: rum/application/create, with: { application_name: shop, type: browser, team_id: 1 } }
  - { id: tell, uses: core/log, with: { message: "\${{ steps.make.outputs.application_id }}" } }
`
  await writeFile(join(recorded.folder, 'reading.yaml'), reading)
  expect(await recorded.command('run', 'reading.yaml', '-q')).toMatchObject({ code: 4 })
  const { run_id: runId } = await recorded.document('show', 'latest')
  const { outcomes } = await outcomesOf(console, runId)
  expect(outcomes).toMatchObject([{ reads: ['application_id'], risk: 'create' }])
  const shown = outcomes[0]?.shown ?? ''
  const page = await console.get(`/runs/${runId}/decide/make`, { accept: 'text/html' })
  expect(page.text).toContain('does it a second time')
  const form = await console.send(`/runs/${runId}/decide/make`, { shown, do: 'succeeded' })
  expect([form.status, form.text]).toEqual([400, expect.stringContaining('of make: fill in application_id')])
  const sent = { step: 'make', shown, decision: 'succeeded', outputs: {} }
  const answer = await console.post(`/api/v1/runs/${runId}/decisions`, sent)
  expect([answer.status, answer.text]).toEqual([
    400,
    expect.stringContaining('of make: give application_id in \\"outputs\\"'),
  ])
  for (const { text } of [form, answer]) expect(text).not.toMatch(/--outputs|opsbook actions/)
})

test('an operator may not decide', async () => {
  const { console, runId, outcome } = await stage({ role: 'operator' })
  const sent = { step: 'make', shown: outcome.shown, decision: 'failed' }
  expect(await console.post(`/api/v1/runs/${runId}/decisions`, sent)).toMatchObject({ status: 403 })
})
