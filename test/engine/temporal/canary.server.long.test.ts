import { randomBytes } from 'node:crypto'
import { defineAction, RunbookError } from 'opsbook'
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { readEvents } from '../../../src/engine/temporal/client/follow-events.ts'
import { readHistory, readStart } from '../../../src/engine/temporal/client/read-history.ts'
import { answerUpdate } from '../../../src/engine/temporal/messages.ts'
import { applySchedules } from '../../../src/engine/temporal/schedules/apply-schedules.ts'
import { openScheduleStore } from '../../../src/engine/temporal/schedules/schedule-store.ts'
import { schedulesOf } from '../../../src/triggers/schedules/schedule-entry.ts'
import { ordersOf } from '../../../src/triggers/temporal/apply-plans.ts'
import { systemUserNamed } from '../../support/identity.ts'
import { historyTexts } from './support/history-text.ts'
import { openStage, type Stage } from './support/open-stage.ts'

const canary = 'canary-4711'

const own = (['read', 'create'] as const).map((safety) =>
  defineAction<{ about: string }>({
    name: `test/${safety}`,
    summary: 'Fails, and says about what',
    safety,
    input: { type: 'object', properties: { about: { type: 'string' } }, required: ['about'] },
    output: { type: 'object', properties: {} },
    async run({ about }) {
      throw new RunbookError('InvalidParameter', `it knows nothing about ${about}`)
    },
  }),
)

let stage: Stage
beforeAll(async () => {
  vi.stubEnv('OPSBOOK_TEMPORAL_KEYS', `ours:${randomBytes(32).toString('base64')}`)
  stage = await openStage(inject('temporalAddress'), own, {
    notices: {
      compose: ({ message }) => [{ id: 'one', target: 'env:CHAT_URL', body: message }],
      send: async () => ({ isDelivered: true }),
    },
  })
})
afterAll(async () => {
  await stage.close()
  vi.unstubAllEnvs()
})

test('with a key, the history of a run holds no plain text of its data, and clients can read all of it', async () => {
  const failing = (id: string, uses: string): object => ({
    id,
    uses,
    with: { about: '${{ inputs.about }}' },
    'continue-on-error': true,
  })
  const plan = stage.compile({
    inputs: { type: 'object', properties: { about: { type: 'string' } }, required: ['about'] },
    steps: [
      failing('read', 'test/read'),
      failing('make', 'test/create'),
      { id: 'ask', uses: 'core/approve', with: { message: 'About ${{ inputs.about }}?' } },
      {
        id: 'wrong',
        uses: 'core/assert',
        with: { that: ['${{ 1 == 2 }}'], message: 'no ${{ inputs.about }}' },
      },
    ],
  } as never)
  const run = await stage.start(plan, { inputs: { about: canary } })
  const handle = stage.client.workflow.getHandle(run.runId)
  for await (const event of run.events) {
    if (event.type !== 'waiting' || event.reason !== 'approval') continue
    const order = { step: 'ask', approved: true, by: systemUserNamed('somebody'), comment: canary }
    await handle.executeUpdate(answerUpdate, { args: [order] })
  }
  const { warnings, error } = await run.result
  expect([...(warnings ?? []), error].map((one) => one?.message)).toEqual([
    `it knows nothing about ${canary}`,
    `it knows nothing about ${canary}`,
    expect.stringContaining(`no ${canary}`),
  ])
  const told: string[] = []
  for await (const text of historyTexts(stage.client, run.runId)) expect(text).not.toContain(canary)
  for await (const event of readHistory(stage.client, run.runId, undefined)) {
    const notice = event.startChildWorkflowExecutionInitiatedEventAttributes?.workflowId
    if (notice) told.push(notice)
  }
  expect(told).toHaveLength(2)
  for (const notice of told) {
    await stage.client.workflow.getHandle(notice).result()
    for await (const text of historyTexts(stage.client, notice)) expect(text).not.toContain(canary)
  }
})

test('nor does the log that the executions of a long run write, and clients can read it', async () => {
  const steps = [1, 2, 3, 4, 5, 6].map((n) => ({
    id: `read${n}`,
    uses: 'test/read',
    with: { about: '${{ inputs.about }}' },
    'continue-on-error': true,
  }))
  const inputs = { type: 'object', properties: { about: { type: 'string' } }, required: ['about'] }
  const plan = stage.compile({ inputs, steps })
  const { runId, result } = await stage.start(plan, { inputs: { about: canary }, mostEvents: 12 })
  expect((await result).status).toBe('succeeded')
  const { client, taskQueue } = stage
  const { continued } = await readStart(client, runId)
  const executions = [...(continued?.executions ?? []).map((one) => one.runId), undefined]
  expect(executions.length).toBeGreaterThan(2)
  for (const execution of executions)
    for await (const text of historyTexts(client, runId, execution)) expect(text).not.toContain(canary)
  const events = await readEvents({ client, taskQueue }, runId)
  expect(JSON.stringify(events)).toContain(canary)
  expect(events.at(-1)?.event.type).toBe('run_finished')
})

test('nor does a run that a schedule starts', async () => {
  const plan = stage.compile({
    triggers: [{ type: 'schedule', every: '1s', with: { about: canary } }],
    inputs: { type: 'object', properties: { about: { type: 'string' } }, required: ['about'] },
    steps: [{ id: 'read', uses: 'test/read', with: { about: '${{ inputs.about }}' } }],
  } as never)
  const orders = ordersOf(schedulesOf(plan), undefined)
  await applySchedules({ ...stage, orders, isToGo: () => false })
  const book = openScheduleStore(stage)
  const runs = async () => (await book.listSchedules()).flatMap(({ last }) => last)
  await expect.poll(async () => (await runs()).length).toBeGreaterThan(0)
  await book.remove(plan.name)
  const query = `WorkflowType = 'runbook/${plan.name}' AND TaskQueue = '${stage.taskQueue}' AND ExecutionStatus = 'Failed'`
  await expect.poll(async () => (await stage.client.workflow.count(query)).count).toBeGreaterThan(0)
  for await (const { workflowId } of stage.client.workflow.list({ query }))
    for await (const text of historyTexts(stage.client, workflowId)) expect(text).not.toContain(canary)
})
