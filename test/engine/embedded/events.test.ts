import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkInputs, loadRunbook, openRunReader, type Plan } from 'opsbook'
import { expect, onTestFinished, test } from 'vitest'
import { RunbookError } from '../../../src/core/run-error.ts'
import type { Candidate } from '../../../src/core/triggers/event-evaluation.ts'
import { systemClock } from '../../../src/engine/attempt/index.ts'
import { openDatabase } from '../../../src/engine/embedded/database/database.ts'
import { answerQuestion, closeRun, openNoticeStore, pruneRuns } from '../../../src/engine/embedded/index.ts'
import { queueRun } from '../../../src/engine/embedded/queue/enqueue-run.ts'
import type { RunQueueOptions } from '../../../src/engine/embedded/queue/queue-state.ts'
import { createRunQueue } from '../../../src/engine/embedded/queue/run-queue.ts'
import {
  type EventStoreOptions,
  openEventStore,
} from '../../../src/engine/embedded/received-events/event-store.ts'
import { claimQueuedRun } from '../../../src/engine/embedded/run/claim-queued-run.ts'
import { systemUserNamed } from '../../support/identity.ts'

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'opsbook-events-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const ask = 'uses: core/approve\n    with: { message: continue? }'
const pause = 'uses: core/wait\n    with: { for: 10m }'

function planOf(more = '', step = ask): Plan {
  const text = `apiVersion: opsbook/v1
name: a
${more}
steps:
  - id: ask
    ${step}
`
  const { plan, diagnostics } = loadRunbook(text, [])
  if (!plan) throw new Error(JSON.stringify(diagnostics))
  return plan
}

const want = (plan: Plan, more: object = {}): Candidate => ({
  runbook: plan.name,
  trigger: 0,
  plan,
  inputs: {},
  maxStarts: { count: 20, perMs: 600_000 },
  ...more,
})

function openBook(options: Partial<EventStoreOptions> = {}) {
  const dataDir = options.dataDir ?? newFolder()
  const book = openEventStore({ dataDir, ...options })
  onTestFinished(() => book.close())
  const evaluation = (id: string, ...candidates: Candidate[]) =>
    book.evaluation({
      event: { hook: 'h', id, type: 'incident', receivedAtMs: Date.now(), body: {} },
      candidates,
    })
  return { dataDir, book, evaluation }
}

/** Runs that wait for an answer until their process stops. */
function openQueue(dataDir: string, options: Partial<RunQueueOptions> = {}) {
  const engine = {
    dataDir,
    actions: [],
    connect: () => Promise.reject(new Error('nothing here has a connection')),
    checkInputs,
  }
  const queue = createRunQueue({
    dataDir,
    maxRuns: 10,
    claim: (runId) => claimQueuedRun({ ...engine, runId }),
    onRefused: (_, error) => {
      throw error
    },
    ...options,
  })
  onTestFinished(() => queue.stop(5000))
  const statuses = (): readonly string[] => {
    const reader = openRunReader(dataDir)
    const found = reader?.listRuns().map(({ status }) => status) ?? []
    reader?.close()
    return found.toReversed()
  }
  return { queue, statuses }
}

test('the same event again is answered as it was the first time, whatever would be decided now', async () => {
  const { book, evaluation } = openBook()
  const plan = planOf()
  const first = await evaluation('e1', want(plan))
  await book.setPause({ by: systemUserNamed('alex'), since: new Date().toISOString() })
  const again = await evaluation('e1', want(plan), want(planOf(), { trigger: 1 }))
  expect(again).toEqual({ ...first, deliveries: 2 })
  expect((await evaluation('e2', want(plan))).starts).toMatchObject([{ because: 'paused' }])
})

test('automatic starts are paused and resumed as they were shown, or not at all', async () => {
  const { book } = openBook()
  const pauseBy = (name: string) => ({ by: systemUserNamed(name), since: new Date().toISOString() })
  const first = pauseBy('alex')
  expect(await book.setPause(first, 'active')).toBeUndefined()
  const late = { code: 'InvalidInput', message: 'automatic starts were paused by alex since that was shown' }
  await expect(book.setPause(pauseBy('bob'), 'active')).rejects.toMatchObject(late)
  await expect(book.setPause(undefined, 'active')).rejects.toMatchObject(late)
  // Who was first stays on record.
  expect(await book.setPause(pauseBy('bob'))).toEqual(first)
  expect(await book.readPause()).toEqual(first)
  expect(await book.setPause(undefined, first.since)).toEqual(first)
  await expect(book.setPause(pauseBy('bob'), first.since)).rejects.toThrow('were unpaused since')
  expect(await book.readPause()).toBeUndefined()
})

test('what is pruned of an event is not what later ones are judged by', async () => {
  const { dataDir, book, evaluation } = openBook()
  const one = want(planOf(), { dedupeKey: 'x' })
  const { starts } = await evaluation('e1', one)
  const { events } = await pruneRuns({ dataDir, endedBeforeMs: Date.now() + 60_000 })
  expect([events, await book.listEvents()]).toEqual([1, []])
  expect((await evaluation('e2', one)).starts).toMatchObject([
    { because: 'duplicate', run_id: starts[0]?.run_id },
  ])
})

test('deliveries of one event at the same time are one', async () => {
  const { book, evaluation } = openBook()
  const plan = planOf()
  const all = await Promise.all(Array.from({ length: 50 }, () => evaluation('e1', want(plan))))
  expect(new Set(all.map(({ starts }) => JSON.stringify(starts))).size).toBe(1)
  expect(await book.listEvents()).toMatchObject([{ event_id: 'e1', deliveries: 50 }])
})

test('a reached start limit is notified in the transaction of its event, and once', async () => {
  const told: string[] = []
  const { dataDir, evaluation } = openBook({
    notices: ({ kind, runbook, message }) => [
      { id: `n${told.length}`, target: 'env:CHAT', body: JSON.stringify({ kind, runbook, message }) },
    ],
    onStartLimit: ({ runbook }) => told.push(runbook),
  })
  const one = want(planOf(), { maxStarts: { count: 1, perMs: 600_000 } })
  for (const id of ['e1', 'e2', 'e3']) await evaluation(id, one)
  const store = openNoticeStore(dataDir)
  const due = store?.claim(['env:CHAT'], 10, systemClock.now() + 1, systemClock.now() + 60_000) ?? []
  store?.close()
  expect(due.map(({ body }) => JSON.parse(body))).toEqual([
    { kind: 'start_limit_reached', runbook: 'a', message: expect.stringContaining('may start 1') },
  ])
  expect(told).toEqual(['a'])
})

test.each([
  { about: 'of the runbook', more: {} },
  { about: 'of a key', more: { key: 'k' } },
])(
  'after a clock that was ahead the cooldown $about counts from the last start that was made',
  async ({ more }) => {
    let nowMs = Date.parse('2026-11-22T12:00:00Z')
    const { evaluation } = openBook({ now: () => nowMs })
    const one = want(planOf(), { cooldown: { forMs: 3_600_000, ...more } })
    const decide = async (id: string) => (await evaluation(id, one)).starts[0]?.because ?? 'started'
    expect(await decide('ahead')).toBe('started')
    nowMs = Date.parse('2026-11-21T12:00:00Z')
    expect([await decide('e1'), await decide('e2')]).toEqual(['started', 'cooldown'])
  },
)

test('what is decided quotes no known secret', async () => {
  const mask: EventStoreOptions['mask'] = (value) =>
    JSON.parse(JSON.stringify(value).replaceAll('canary', '(masked)'))
  const { dataDir, book, evaluation } = openBook({ mask })
  const keyed = want(planOf(), { dedupeKey: 'canary' })
  await evaluation('e1', keyed)
  const cooled = want(planOf(), { cooldown: { forMs: 60_000, key: 'canary' } })
  await evaluation('e2', cooled)
  const busy = want(planOf('concurrency: { key: canary, on-conflict: reject }'))
  await evaluation('e3', busy)
  const records = [
    await evaluation('e4', keyed),
    await evaluation('e5', cooled),
    await evaluation('e6', busy),
  ]
  expect(records.map(({ starts }) => starts[0]?.because)).toEqual(['duplicate', 'cooldown', 'concurrency'])
  const unwanted = { because: 'where_false', message: 'its condition is false', details: { where: 'canary' } }
  records.push(await evaluation('e7', { runbook: 'a', trigger: 0, ...unwanted } as Candidate))
  const preview = await book.previewEvent({
    event: { hook: 'h', id: 'p', type: 'incident', receivedAtMs: 0, body: {} },
    candidates: [keyed],
  })
  expect(JSON.stringify([records, await book.listEvents(), preview])).not.toContain('canary')
  const database = openDatabase(dataDir)
  const kept = database.prepare('SELECT message, details FROM event_decisions').all()
  database.close()
  expect(JSON.stringify(kept)).not.toContain('canary')
})

test('a body that is too large to be kept is left out', async () => {
  const { book } = openBook()
  const event = { hook: 'h', id: 'e', type: 'incident', receivedAtMs: 0, body: { text: 'x'.repeat(300_000) } }
  await book.evaluation({ event, candidates: [] })
  expect((await book.readEvent('e'))?.body).toBeUndefined()
  expect(await book.readEvent('other/e')).toBeUndefined()
})

test('with reject an event starts nothing while a run is active, and start is refused', async () => {
  const { dataDir, evaluation } = openBook()
  const plan = planOf('concurrency: { key: one, on-conflict: reject }')
  const { starts } = await evaluation('e1', want(plan))
  expect((await evaluation('e2', want(plan))).starts).toMatchObject([
    { because: 'concurrency', run_id: starts[0]?.run_id },
  ])
  const start = () => queueRun({ dataDir, plan, inputs: {}, actions: [] })
  expect(start).toThrow(expect.objectContaining({ code: 'ConcurrencyConflict' }))
})

test('start with a key joins the run that has it', () => {
  const dataDir = newFolder()
  const start = (more: object = {}) => queueRun({ dataDir, plan: planOf(), inputs: {}, actions: [], ...more })
  const { runId } = start({ key: 'k' })
  expect(start({ key: 'k' })).toEqual({ runId, isJoined: true })
  expect(start().isJoined).toBe(false)
})

test('a question that is approved in advance does not wait', async () => {
  const dataDir = newFolder()
  queueRun({ dataDir, plan: planOf(), inputs: {}, actions: [], approve: 'all' })
  const { queue, statuses } = openQueue(dataDir)
  queue.start()
  await expect.poll(statuses).toEqual(['succeeded'])
})

test('a run that cannot work here fails, for everybody to see, and holds up no other', async () => {
  const dataDir = newFolder()
  const { plan } = loadRunbook(
    `apiVersion: opsbook/v1
name: b
secrets: [token]
steps:
  - id: call
    uses: core/http
    with: { method: GET, url: "http://127.0.0.1:1/", secret-headers: { Authorization: { secret: token } } }
`,
    (await import('../../../src/actions/index.ts')).createActions(),
  )
  if (!plan) throw new Error('the runbook is not valid')
  const actions = (await import('../../../src/actions/index.ts')).createActions()
  queueRun({ dataDir, plan, inputs: {}, actions })
  queueRun({ dataDir, plan: planOf(), inputs: {}, actions, approve: 'all' })
  const connect = () => Promise.reject(new Error('nothing here has a connection'))
  const { queue, statuses } = openQueue(dataDir, {
    claim: (runId) => claimQueuedRun({ dataDir, runId, actions, connect, checkInputs }),
  })
  queue.start()
  await expect.poll(statuses).toEqual(['failed', 'succeeded'])
})

test('no more runs are active than allowed, whichever process queued them; the rest starts in order', async () => {
  const dataDir = newFolder()
  const begun: string[] = []
  const ends: (() => void)[] = []
  const { queue } = openQueue(dataDir, {
    maxRuns: 2,
    async claim(runId) {
      begun.push(runId)
      const handle = await claimQueuedRun({
        dataDir,
        runId,
        actions: [],
        checkInputs,
        connect: () => Promise.reject(new Error('nothing here has a connection')),
      })
      ends.push(() => handle.cancel())
      return handle
    },
  })
  const plan = planOf('', pause)
  const ids = [1, 2, 3, 4].map(() => queueRun({ dataDir, plan, inputs: {}, actions: [] }).runId)
  queue.start()
  await expect.poll(() => ends.length).toBe(2)
  expect([queue.running(), queue.countQueued()]).toEqual([2, 2])
  ends[0]?.()
  await expect.poll(() => ends.length).toBe(3)
  expect(begun).toEqual(ids.slice(0, 3))
})

test('a run that waits for a person keeps none from being begun', async () => {
  const dataDir = newFolder()
  const { queue, statuses } = openQueue(dataDir, { maxRuns: 1 })
  const start = (step: string) => queueRun({ dataDir, plan: planOf('', step), inputs: {}, actions: [] }).runId
  const [asking] = [start(ask), start(ask), start(pause), start(pause)]
  queue.start()
  await expect.poll(statuses).toEqual(['waiting', 'waiting', 'running', 'queued'])
  await answerQuestion({
    dataDir,
    runId: asking,
    step: 'ask',
    answer: { approved: true, by: systemUserNamed('ada') },
  })
  await expect.poll(statuses).toEqual(['succeeded', 'waiting', 'running', 'queued'])
})

test('of runs that wait for people there are ten for each place at most', async () => {
  const dataDir = newFolder()
  const { queue, statuses } = openQueue(dataDir, { maxRuns: 1 })
  for (let count = 0; count < 12; count++) queueRun({ dataDir, plan: planOf(), inputs: {}, actions: [] })
  queue.start()
  await expect.poll(statuses).toEqual([...Array.from({ length: 10 }, () => 'waiting'), 'queued', 'queued'])
  queue.wake()
  expect(queue.running()).toBe(10)
})

const refusal = (code: 'RunInUse' | 'ConcurrencyConflict') => new RunbookError(code, 'not now')

test('a run that another process has is left alone for a while', async () => {
  const dataDir = newFolder()
  const start = () => queueRun({ dataDir, plan: planOf(), inputs: {}, actions: [], approve: 'all' }).runId
  const [theirs] = [start(), start()]
  let tried = 0
  let begunAfter = 0
  const { queue, statuses } = openQueue(dataDir, {
    async claim(runId) {
      if (runId !== theirs) {
        begunAfter = tried
        return claimQueuedRun({
          dataDir,
          runId,
          actions: [],
          checkInputs,
          connect: () => Promise.reject(refusal('RunInUse')),
        })
      }
      // Enough to show that it goes round; a loop without end would show nothing.
      if (++tried > 5) return new Promise(() => {})
      throw refusal('RunInUse')
    },
  })
  queue.start()
  await expect.poll(statuses).toEqual(['queued', 'succeeded'])
  // The other run was begun after one try.
  expect(begunAfter).toBe(1)
})

/** A run whose process died. */
function interruptedRun(dataDir: string, plan: Plan): string {
  const { runId } = queueRun({ dataDir, plan, inputs: {}, actions: [] })
  const database = openDatabase(dataDir)
  database.prepare("UPDATE runs SET is_queued = NULL, owner = 'gone', has_key = 1 WHERE id = ?").run(runId)
  database.close()
  return runId
}

test('an interrupted run that was refused is tried again, and has its key before those that wait', async () => {
  const dataDir = newFolder()
  const plan = planOf('concurrency: { key: one, on-conflict: reject }')
  const first = interruptedRun(dataDir, plan)
  queueRun({ dataDir, plan, inputs: {}, actions: [] })
  const tried: string[] = []
  const told: string[] = []
  const { queue } = openQueue(dataDir, {
    async resume() {
      tried.push('resume')
      throw refusal('ConcurrencyConflict')
    },
    async claim() {
      tried.push('claim')
      throw refusal('ConcurrencyConflict')
    },
    onRefused: (runId) => told.push(runId),
  })
  queue.start()
  expect([tried, queue.continues(first)]).toEqual([['resume'], true])
  await expect.poll(() => tried.filter((one) => one === 'resume').length).toBeGreaterThan(2)
  expect(told).toEqual([first])
})

test('an interrupted run of another process still counts as continued here, and an ended one does not', async () => {
  const dataDir = newFolder()
  const [theirs, ended] = [interruptedRun(dataDir, planOf()), interruptedRun(dataDir, planOf())]
  const tried: string[] = []
  let refuse: (error: RunbookError) => void = () => {}
  const { queue } = openQueue(dataDir, {
    maxRuns: 1,
    resume(runId) {
      tried.push(runId)
      return new Promise((_, reject) => {
        refuse = reject
      })
    },
  })
  queue.start()
  await closeRun({ dataDir, runId: ended, by: systemUserNamed('ada') })
  refuse(refusal('RunInUse'))
  await expect.poll(() => queue.running()).toBe(0)
  queue.wake()
  expect(tried).toEqual([theirs])
  expect([queue.continues(theirs), queue.continues(ended)]).toEqual([true, false])
})
