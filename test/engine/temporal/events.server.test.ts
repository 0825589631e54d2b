import { randomBytes } from 'node:crypto'
import type { JsonObject, Plan } from 'opsbook'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import type { Candidate, EventEvaluation } from '../../../src/core/triggers/event-evaluation.ts'
import { connectClient } from '../../../src/engine/temporal/connection.ts'
import {
  type EventStoreOptions,
  openEventStore,
  type TemporalEventStore,
} from '../../../src/engine/temporal/received-events/event-store.ts'
import { systemUserNamed } from '../../support/identity.ts'
import { stageOfFile } from './support/stage-of-file.ts'

let book: TemporalEventStore
let names = 0
const told: string[] = []
const stage = stageOfFile([], {
  notices: {
    compose({ kind, runbook, message }) {
      told.push(`${kind} ${runbook}: ${message}`)
      return []
    },
    send: async () => ({ isDelivered: true }),
  },
})
beforeAll(() => {
  book = openEventStore(stage)
})

/** The event store of another process. */
async function openBook(options: Partial<EventStoreOptions> = {}): Promise<TemporalEventStore> {
  const { taskQueue } = stage
  const address = inject('temporalAddress')
  const client = await connectClient({ address, namespace: 'default', taskQueue })
  return openEventStore({ client, taskQueue, ...options })
}

const set = { id: 'set', uses: 'core/set', with: { a: 1 } }
const ask = { id: 'ask', uses: 'core/approve', with: { message: 'Go on?' } }

/** A runbook of this test alone. */
function runbook(more: JsonObject = { steps: [set] }): Plan {
  return stage.compile({ name: `started-${++names}`, ...more })
}

function evaluation(
  id: string,
  plan: Plan,
  more: Partial<Extract<Candidate, { plan: Plan }>> = {},
  body: JsonObject = { n: 1 },
): EventEvaluation {
  const maxStarts = { count: 1000, perMs: 600_000 }
  return {
    event: { hook: 'incidents', id, type: 'incident', receivedAtMs: Date.now(), body },
    candidates: [{ runbook: plan.name, trigger: 0, plan, inputs: {}, maxStarts, ...more }],
  }
}

async function runsOf(plan: Plan): Promise<readonly string[]> {
  const found: string[] = []
  const query = `WorkflowType = 'runbook/${plan.name}'`
  for await (const { workflowId } of stage.client.workflow.list({ query })) found.push(workflowId)
  return found
}

it('starts one run for 500 deliveries of one incident, 50 at a time, to two that serve', async () => {
  const plan = runbook()
  const other = await openBook()
  const answers: string[] = []
  for (let sent = 0; sent < 500; sent += 50) {
    const some = Array.from({ length: 50 }, async (_, n) => {
      const taker = n % 2 === 0 ? book : other
      // Every second sender calls it by an id of its own.
      const id = n < 25 ? 'one' : `one-${sent + n}`
      const { starts } = await taker.evaluation(evaluation(id, plan, { dedupeKey: 'inc_1' }))
      return starts[0]
    })
    for (const start of await Promise.all(some))
      answers.push(`${start?.run_id} ${start?.because ?? 'started'}`)
  }
  await other.close()
  const [runId, ...more] = new Set(answers.map((answer) => answer.split(' ')[0]))
  expect(more).toEqual([])
  expect(new Set(answers)).toEqual(new Set([`${runId} started`, `${runId} duplicate`]))
  // The event store starts a run after it has told its decision.
  const run = stage.client.workflow.getHandle(String(runId))
  await expect.poll(() => run.describe()).toBeDefined()
  await run.result()
  expect(await book.readEvent('incidents/one')).toMatchObject({
    deliveries: 250,
    starts: [{ run_id: runId }],
  })
  await expect.poll(() => runsOf(plan)).toEqual([runId])
})

it('says what it is, whose event, and what started it', async () => {
  const plan = runbook()
  const taken = await book.evaluation(evaluation('told', plan))
  expect(taken).toMatchObject({
    hook: 'incidents',
    event_id: 'told',
    type: 'incident',
    deliveries: 1,
    body: { n: 1 },
  })
  const [start] = taken.starts
  expect(start).toEqual({
    runbook: plan.name,
    trigger: 0,
    run_id: expect.stringContaining(`run_${plan.name}-told_`),
  })
  const memo = async () => (await stage.client.workflow.getHandle(String(start?.run_id)).describe()).memo
  await expect.poll(memo).toMatchObject({
    startedFrom: { kind: 'event', hook: 'incidents', event_id: 'told', trigger: 0 },
    planHash: plan.hash,
  })
})

describe('what is decided', () => {
  it('keeps a cooldown, and a guard against reached start limits', async () => {
    const plan = runbook()
    const cooldown = { key: 'web-01', forMs: 60_000 }
    const because = async (id: string, more: object): Promise<string | undefined> =>
      (await book.evaluation(evaluation(id, plan, more))).starts[0]?.because
    expect(await because('c1', { cooldown })).toBeUndefined()
    expect(await because('c2', { cooldown })).toBe('cooldown')
    expect(await because('c3', { cooldown: { ...cooldown, key: 'web-02' } })).toBeUndefined()
    expect(await because('c4', { maxStarts: { count: 2, perMs: 60_000 } })).toBe('start_limit_reached')
    expect(
      (await book.listEvents({ runbook: plan.name, because: 'start_limit_reached' })).map(
        ({ event_id }) => event_id,
      ),
    ).toEqual(['c4'])
    expect((await book.listEvents({ runbook: plan.name })).map(({ event_id }) => event_id)).toEqual([
      'c4',
      'c3',
      'c2',
      'c1',
    ])
  })

  it('starts no run while automatic starts are paused', async () => {
    const plan = runbook()
    const pause = { by: systemUserNamed('ada'), since: new Date().toISOString() }
    expect(await book.setPause(pause)).toBeUndefined()
    const late = 'automatic starts were paused by ada since that was shown'
    await expect(book.setPause(undefined, 'active')).rejects.toThrow(late)
    const bobs = { ...pause, by: systemUserNamed('bob') }
    await expect(book.setPause(bobs, 'active')).rejects.toThrow(late)
    expect(await book.setPause(bobs, pause.since)).toEqual(pause)
    expect(await book.readPause()).toEqual(pause)
    expect(await book.evaluation(evaluation('p1', plan))).toMatchObject({ starts: [{ because: 'paused' }] })
    expect(await book.previewEvent(evaluation('p2', plan))).toMatchObject([{ because: 'paused' }])
    expect(await book.setPause(undefined, pause.since)).toEqual(pause)
    expect(await book.readPause()).toBeUndefined()
    expect(await book.previewEvent(evaluation('p2', plan))).toEqual([
      { runbook: plan.name, trigger: 0, run_id: expect.any(String) },
    ])
    expect(await book.readEvent('p2')).toBeUndefined()
  })

  it.each(['skip', 'reject'] as const)(
    'starts nothing while a run has the concurrency key: %s',
    async (onConflict) => {
      const plan = runbook({ steps: [ask], concurrency: { key: 'one', 'on-conflict': onConflict } })
      const first = await book.evaluation(evaluation(`${onConflict}-1`, plan))
      const runId = String(first.starts[0]?.run_id)
      const second = await book.evaluation(evaluation(`${onConflict}-2`, plan))
      expect(second.starts).toMatchObject([{ because: 'concurrency', run_id: runId }])
      await expect.poll(() => runsOf(plan)).toEqual([runId])
      await stage.client.workflow.getHandle(runId).cancel()
    },
  )
})

describe('a notification is sent', () => {
  it('of a reached start limit, once for each period of the trigger', async () => {
    const plan = runbook()
    const logged: string[] = []
    const other = await openBook({ onStartLimit: ({ runbook }) => logged.push(runbook) })
    const maxStarts = { count: 1, perMs: 600_000 }
    for (let n = 0; n < 4; n++) {
      const { starts } = await other.evaluation(evaluation(`start-limit-${n}`, plan, { maxStarts }))
      expect(starts[0]?.because).toBe(n === 0 ? undefined : 'start_limit_reached')
    }
    const startLimits = () => told.filter((one) => one.startsWith(`start_limit_reached ${plan.name}`))
    await expect
      .poll(startLimits)
      .toEqual([
        `start_limit_reached ${plan.name}: the trigger has started 1 run within 10m, and may start 1`,
      ])
    expect(logged).toEqual([plan.name])
    await other.close()
  })

  it('of missed times, once for each, also when several processes count them', async () => {
    const other = await openBook()
    const missed = (...counts: readonly number[]) =>
      counts.map((missed, n) => ({ id: `schedule-${n}`, runbook: `book-${n}`, missed }))
    expect(await book.notifyMissed(missed(0, 2))).toEqual([
      { id: 'schedule-1', runbook: 'book-1', missed: 2 },
    ])
    expect(await other.notifyMissed(missed(0, 2))).toEqual([])
    expect(await other.notifyMissed(missed(1, 5))).toMatchObject([{ missed: 1 }, { missed: 3 }])
    // From a slow process.
    expect(await book.notifyMissed(missed(1, 2))).toEqual([])
    expect(await book.notifyMissed(missed(1, 5))).toEqual([])
    // Created again, it has missed none yet.
    expect(await book.notifyMissed(missed(0, 5))).toEqual([])
    expect(await book.notifyMissed(missed(1, 5))).toMatchObject([{ id: 'schedule-0' }])
    await other.close()
    const of = (n: number, times: string, caught: string): string =>
      `schedule_missed book-${n}: the schedule schedule-${n}: ${times} missed; the server did not start ${caught} while ${caught === 'it' ? 'it' : 'they'} could be caught up`
    // Each notification is sent on its own.
    await expect
      .poll(() => told.filter((one) => one.startsWith('schedule_missed')).toSorted())
      .toEqual([
        of(0, 'a time was', 'it'),
        of(0, 'a time was', 'it'),
        of(1, '2 times were', 'them'),
        of(1, '3 times were', 'them'),
      ])
  })
})

it('starts as many large runs for one event as the server takes at a time', async () => {
  const large = randomBytes(600_000).toString('base64')
  const candidates = [1, 2, 3, 4].flatMap(
    () => evaluation('large', runbook(), { inputs: { large } }).candidates,
  )
  const { starts } = await book.evaluation({ ...evaluation('large', runbook()), candidates })
  expect(starts.map(({ because }) => because)).toEqual([undefined, undefined, undefined, 'inputs_invalid'])
  expect(starts.at(-1)?.message).toContain('at most')
})

describe('where nothing can be taken', () => {
  it('says that there is no worker', async () => {
    const lonely = await openBook({ taskQueue: `${stage.taskQueue}-none` })
    await expect(lonely.evaluation(evaluation('n1', runbook()))).rejects.toMatchObject({ code: 'NoWorker' })
    await lonely.close()
  })
})
