import { randomBytes } from 'node:crypto'
import { defineAction, RunbookError } from 'opsbook'
import { afterAll, beforeAll, expect, inject, onTestFinished, test, vi } from 'vitest'
import { followRun } from '../../../src/engine/temporal/client/follow-run.ts'
import { readHistory } from '../../../src/engine/temporal/client/read-history.ts'
import { answerUpdate } from '../../../src/engine/temporal/messages.ts'
import { applySchedules } from '../../../src/engine/temporal/schedules/apply-schedules.ts'
import { openScheduleBook } from '../../../src/engine/temporal/schedules/schedule-book.ts'
import { ordersOf } from '../../../src/triggers/schedules/orders-of.ts'
import { schedulesOf } from '../../../src/triggers/schedules/schedule-entry.ts'
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

test('with a key nothing that a run says stands in its history for all to read, and all of it is read', async () => {
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
    const order = { step: 'ask', approved: true, by: 'somebody', comment: canary }
    await handle.executeUpdate(answerUpdate, { args: [order] })
  }
  const { warnings, error } = await run.result
  expect([...(warnings ?? []), error].map((one) => one?.message)).toEqual([
    `it knows nothing about ${canary}`,
    `it knows nothing about ${canary}`,
    expect.stringContaining(`no ${canary}`),
  ])
  const told: string[] = []
  for await (const event of readHistory(stage.client, run.runId, undefined)) {
    expect(textOf(event)).not.toContain(canary)
    const notice = event.startChildWorkflowExecutionInitiatedEventAttributes?.workflowId
    if (notice) told.push(notice)
  }
  expect(told).toHaveLength(2)
  for (const notice of told) {
    await stage.client.workflow.getHandle(notice).result()
    for await (const event of readHistory(stage.client, notice, undefined))
      expect(textOf(event)).not.toContain(canary)
  }
})

test('nor where a schedule has started the run', async () => {
  const plan = stage.compile({
    triggers: [{ type: 'schedule', every: '7d' }],
    steps: [{ id: 'wrong', uses: 'core/assert', with: { that: ['${{ 1 == 2 }}'], message: `no ${canary}` } }],
  } as never)
  const { orders } = ordersOf(schedulesOf(plan), undefined)
  await applySchedules({ ...stage, orders, isToGo: () => false })
  onTestFinished(() => applySchedules({ ...stage, orders: [], isToGo: () => true }).then(() => {}))
  const runId = await openScheduleBook(stage).trigger(plan.name, 'ann')
  const { error } = await (await followRun({ runId, isJoined: true }, stage)).result
  expect(error?.message).toContain(canary)
  for await (const event of readHistory(stage.client, runId, undefined))
    expect(textOf(event)).not.toContain(canary)
})

/** Everything that the server keeps of it, bytes as what they spell. */
function textOf(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1')
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([name, inner]) => `${name} ${textOf(inner)}`)
    .join('\n')
}
