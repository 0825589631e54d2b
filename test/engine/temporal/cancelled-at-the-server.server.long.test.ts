import { expect, test } from 'vitest'
import { sendControlRequest } from '../../../src/engine/temporal/client/control-run.ts'
import { listRuns } from '../../../src/engine/temporal/client/list-runs.ts'
import { readRunState } from '../../../src/engine/temporal/client/read-run.ts'
import { talkToRun } from '../../../src/engine/temporal/client/talk-to-run.ts'
import { controlUpdate } from '../../../src/engine/temporal/messages.ts'
import { systemUserNamed } from '../../support/identity.ts'
import type { Stage } from './support/open-stage.ts'
import { stageOfFile } from './support/stage-of-file.ts'

const stage = stageOfFile()

const ask = { id: 'ask', uses: 'core/approve', with: { message: 'Go on?' } }
const calls = {
  id: 'calls',
  'for-each': { items: Array.from({ length: 12 }, (_, index) => index) },
  uses: 'monit/tools/catalog',
  with: { target_locator: 'web-01' },
}
const controlRequest = { kind: 'cancel', by: systemUserNamed('somebody') } as const

type Handle = ReturnType<Stage['client']['workflow']['getHandle']>
const moments = [
  { moment: 'and has nothing left to do', runbook: { steps: [ask] }, executions: 1 },
  { moment: 'after it had gone on', runbook: { steps: [calls, ask] }, executions: 2 },
  { moment: 'and goes on to clean up', runbook: { steps: [ask], finally: [calls] }, executions: 2 },
] as const
const ways: Readonly<Record<string, (run: Handle) => Promise<unknown>>> = {
  'by a command': (run) => sendControlRequest(run.workflowId, stage, controlRequest),
  'by a command that came no further than its words': (run) =>
    talkToRun(run.workflowId, stage, () => run.executeUpdate(controlUpdate, { args: [controlRequest] })),
  'at the server': (run) => run.cancel(),
}

test.each(moments.flatMap((at) => Object.keys(ways).map((way) => ({ ...at, way }))))(
  'a run that is cancelled $way $moment is cancelled for everybody',
  async ({ runbook, way, executions }) => {
    const run = await stage.start(stage.compile(runbook as never), { mostEvents: 25 })
    const handle = stage.client.workflow.getHandle(run.runId)
    for await (const event of run.events)
      if (event.type === 'waiting' && event.reason === 'approval') await ways[way]?.(handle)
    expect(await run.result).toMatchObject({ status: 'cancelled' })
    expect((await handle.describe()).status.name).toBe('CANCELLED')
    expect(await readRunState(run.runId, stage)).toMatchObject({
      status: 'cancelled',
      control_requests: [
        { kind: 'cancel', ...(way === 'at the server' ? { by: { name: 'temporal' } } : {}) },
      ],
    })
    // A second request, from a user who has not seen the first.
    const late = sendControlRequest(run.runId, stage, controlRequest)
    await expect(late).rejects.toMatchObject({ code: 'InvalidInput' })
    await expect
      .poll(async () => (await listRuns(stage, { status: ['cancelled'] })).map(({ run_id: id }) => id))
      .toContain(run.runId)
    const counted = async () => (await stage.client.workflow.count(`WorkflowId = '${run.runId}'`)).count
    await expect.poll(counted).toBeGreaterThanOrEqual(executions)
  },
)
