import { defineAction } from 'opsbook'
import { expect, test } from 'vitest'
import { sendControlRequest } from '../../../src/engine/temporal/client/control-run.ts'
import { talkToRun } from '../../../src/engine/temporal/client/talk-to-run.ts'
import { answerUpdate } from '../../../src/engine/temporal/messages.ts'
import { systemUserNamed } from '../../support/identity.ts'
import { stageOfFile } from './support/stage-of-file.ts'

const kinds: string[] = []
const count = defineAction<object>({
  name: 'test/count',
  summary: 'Nothing',
  safety: 'read',
  input: { type: 'object', properties: {}, required: [] },
  output: { type: 'object', properties: {} },
  run: async () => ({}),
})
const stage = stageOfFile([count], {
  notices: {
    compose(notice) {
      kinds.push(`${notice.kind} ${notice.path}`)
      return []
    },
    send: async () => ({ isDelivered: true }),
  },
})

test('a question that waits while the run continues in new executions is notified of once', async () => {
  const plan = stage.compile({
    steps: [
      {
        id: 'both',
        parallel: [
          { id: 'ask', uses: 'core/approve', with: { message: 'Go on?' } },
          {
            id: 'calls',
            'for-each': { items: Array.from({ length: 12 }, (_, index) => index), as: 'item' },
            uses: 'test/count',
            with: {},
          },
        ],
      },
      { id: 'wrong', uses: 'core/assert', with: { that: ['${{ 1 == 2 }}'] } },
    ],
  } as never)
  const run = await stage.start(plan, { mostEvents: 25 })
  const handle = stage.client.workflow.getHandle(run.runId)
  for await (const event of run.events) {
    if (event.type !== 'step_finished' || event.path !== 'both/calls') continue
    const order = { step: 'both/ask', approved: true, by: systemUserNamed('somebody') }
    // It continues in a new execution, perhaps at this moment.
    await talkToRun(run.runId, stage, () => handle.executeUpdate(answerUpdate, { args: [order] }))
  }
  expect(await run.result).toMatchObject({ status: 'failed' })
  // Each notification is sent on its own.
  await expect.poll(() => kinds.toSorted()).toEqual(['approval_waiting both/ask', 'run_failed wrong'])
})

test('no notification is sent of a run that a user cancels', async () => {
  kinds.length = 0
  const plan = stage.compile({ steps: [{ id: 'wait', uses: 'core/wait', with: { for: '1h' } }] } as never)
  const run = await stage.start(plan)
  for await (const event of run.events)
    if (event.type === 'waiting')
      await sendControlRequest(run.runId, stage, { kind: 'cancel', by: systemUserNamed('somebody') })
  expect(await run.result).toMatchObject({ status: 'cancelled' })
  const query = `WorkflowType = 'opsbookNotice' AND WorkflowId STARTS_WITH '${run.runId}'`
  expect((await stage.client.workflow.count(query)).count).toBe(0)
})
