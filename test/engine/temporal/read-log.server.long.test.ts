import { randomBytes } from 'node:crypto'
import { Client } from '@temporalio/client'
import { defineAction, type JsonObject, type TimedRunEvent } from 'opsbook'
import { expect, inject, onTestFinished, test } from 'vitest'
import type { Engine } from '../../../src/engine/engine.ts'
import { readStart } from '../../../src/engine/temporal/client/read-history.ts'
import { readKeptLog } from '../../../src/engine/temporal/client/read-log.ts'
import { openTemporalEngine } from '../../../src/engine/temporal/client/temporal-engine.ts'
import { dataConverterFor } from '../../../src/engine/temporal/codec/create-codec.ts'
import { systemUserNamed } from '../../support/identity.ts'
import { openStage, type Stage } from './support/open-stage.ts'

const noise = randomBytes(9000).toString('base64')

const read = defineAction({
  name: 'test/read',
  summary: 'Answer with something large',
  safety: 'read',
  input: { type: 'object', additionalProperties: true },
  output: { type: 'object', properties: { text: { type: 'string' } } },
  run: async ({ isLarge }: { isLarge?: boolean }) => (isLarge ? { text: noise } : {}),
})

async function stageOfTest(): Promise<Stage> {
  const stage = await openStage(inject('temporalAddress'), [read])
  onTestFinished(() => stage.close())
  return stage
}

/** An engine of its own, that notes its queries and calls `beforeQuery` before each. */
function openCounting(
  { client, taskQueue, dataDir }: Stage,
  beforeQuery: () => Promise<void> = async () => {},
): { engine: Engine; asked: unknown[] } {
  const asked: unknown[] = []
  const { connection, options } = client
  const counting = new Client({
    connection,
    namespace: options.namespace,
    dataConverter: dataConverterFor('throw'),
    interceptors: {
      workflow: [
        {
          async query(input, next) {
            asked.push(input.queryType)
            await beforeQuery()
            return next(input)
          },
        },
      ],
    },
  })
  const ports = { client: counting, taskQueue, dataDir, loadActions: async () => [] }
  return { engine: openTemporalEngine(ports), asked }
}

const items = (count: number, inputs: JsonObject = {}): JsonObject => ({
  id: 'each',
  'for-each': { items: Array.from({ length: count }, (_, n) => n), as: 'item', 'max-parallel': 5 },
  steps: [{ id: 'inner', uses: read.name, with: { n: '${{ item }}', ...inputs } }],
})

const ask = (id: string): JsonObject => ({ id, uses: 'core/approve', with: { message: 'Go on?' } })

async function followed(engine: Engine, runId: string): Promise<readonly TimedRunEvent[]> {
  const events: TimedRunEvent[] = []
  for await (const { event } of engine.followEvents(runId)) events.push(event)
  return events
}

test('a long run that has ended is shown, listed and followed where no worker is left', async () => {
  const stage = await stageOfTest()
  const run = await stage.start(stage.compile({ steps: [items(60)] }), { mostEvents: 40 })
  const told: TimedRunEvent[] = []
  for await (const event of run.events) told.push(event)
  await run.result
  const { continued } = await readStart(stage.client, run.runId)
  const executions = continued?.executions ?? []
  expect(executions.length).toBeGreaterThan(2)
  for (const { runId } of executions)
    expect(await stage.client.workflow.getHandle(run.runId, runId).describe()).toMatchObject({
      type: 'runbook/staged',
    })
  await stage.stopWorker()
  const { engine, asked } = openCounting(stage)
  const shown = await engine.readRun(run.runId)
  expect(shown).toMatchObject({ status: 'succeeded' })
  expect(shown?.steps).toHaveLength(61)
  expect(await engine.readRunState(run.runId)).toMatchObject({ status: 'succeeded' })
  const events = [...(await engine.readEvents(run.runId))]
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, place) => place + 1))
  expect(events.map(({ event }) => event)).toEqual(told)
  expect(await followed(engine, run.runId)).toEqual(told)
  expect(asked).toEqual([])
})

test('of a run that is open only the open execution is asked, and that only when something has happened', async () => {
  const stage = await stageOfTest()
  const steps = [items(30), { id: 'rest', uses: 'core/wait', with: { for: '3s' } }]
  const run = await stage.start(stage.compile({ steps }), { mostEvents: 40 })
  const { engine, asked } = openCounting(stage)
  let isWaiting = false
  const events: TimedRunEvent[] = []
  for await (const { event } of engine.followEvents(run.runId)) {
    events.push(event)
    if (event.type !== 'waiting' || event.reason !== 'wait') continue
    isWaiting = true
    asked.length = 0
  }
  expect(isWaiting).toBe(true)
  // Asked ten times a second it would be thirty.
  expect(asked.length).toBeLessThan(8)
  expect(events.at(-1)).toMatchObject({ type: 'run_finished', status: 'succeeded' })
  await run.result
  const read = [...(await engine.readEvents(run.runId))]
  expect(events).toEqual(read.map(({ event }) => event))
})

test('a run that ends while it is asked, and whose worker stops then, is followed to its end', async () => {
  const stage = await stageOfTest()
  const steps = [items(30), ask('first'), ask('last')]
  const run = await stage.start(stage.compile({ steps }), { mostEvents: 40 })
  const { engine: people } = openCounting(stage)
  const by = systemUserNamed('ada')
  const answer = (step: string) => people.answerQuestion(run.runId, { step }, { approved: true, by })
  let beforeQuery = async (): Promise<void> => {}
  const { engine } = openCounting(stage, () => beforeQuery())
  let hasEnded = false
  const endRun = async (): Promise<void> => {
    if (hasEnded) return
    hasEnded = true
    // It is not yet asked while the first answer is on its way.
    await expect.poll(() => answer('last').catch(() => undefined)).toBeDefined()
    await run.result
    await stage.stopWorker()
  }
  const events: TimedRunEvent[] = []
  for await (const { event } of engine.followEvents(run.runId)) {
    events.push(event)
    if (event.type !== 'waiting' || event.reason !== 'approval' || event.path !== 'first') continue
    beforeQuery = endRun
    await answer('first')
  }
  expect(hasEnded).toBe(true)
  expect(events.at(-1)).toMatchObject({ type: 'run_finished', status: 'succeeded' })
})

test('a log that is too large for one payload is kept in several', async () => {
  const stage = await stageOfTest()
  const plan = stage.compile({ steps: [items(150, { isLarge: true })] })
  const run = await stage.start(plan)
  expect(await run.result).toMatchObject({ status: 'succeeded' })
  const { runId } = await stage.client.workflow.getHandle(run.runId).describe()
  const kept = await readKeptLog(stage, run.runId, runId)
  await stage.stopWorker()
  const { engine } = openCounting(stage)
  const events = [...(await engine.readEvents(run.runId))]
  expect(JSON.stringify(events).length).toBeGreaterThan(1_600_000)
  expect(kept?.events).toEqual(events)
  expect(events.at(-1)?.event).toMatchObject({ type: 'run_finished', status: 'succeeded' })
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, place) => place + 1))
})

test('an execution that was terminated has left nothing, and is asked', async () => {
  const stage = await stageOfTest()
  const steps = [items(30), ask('ask')]
  const run = await stage.start(stage.compile({ steps }), { mostEvents: 40 })
  for await (const event of run.events) if (event.type === 'waiting' && event.reason === 'approval') break
  const { engine, asked } = openCounting(stage)
  const before = [...(await engine.readEvents(run.runId))]
  expect(before.at(-1)?.event).toMatchObject({ type: 'waiting', path: 'ask' })
  asked.length = 0
  await stage.client.workflow.getHandle(run.runId).terminate('by hand')
  const { engine: other } = openCounting(stage)
  expect([...(await other.readEvents(run.runId))]).toEqual(before)
  expect(await followed(other, run.runId)).toEqual(before.map(({ event }) => event))
  expect(await other.readRun(run.runId)).toMatchObject({
    status: 'interrupted',
    steps: expect.arrayContaining([expect.objectContaining({ path: 'ask', status: 'interrupted' })]),
  })
})
