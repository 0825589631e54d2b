import { defineAction, RunbookError } from 'opsbook'
import { expect, inject, onTestFinished, test } from 'vitest'
import { listRuns } from '../../../src/engine/temporal/client/list-runs.ts'
import { resumeRun } from '../../../src/engine/temporal/client/resume-run.ts'
import { systemUserNamed } from '../../support/identity.ts'
import { countingClient } from './support/counting-client.ts'
import { openStage } from './support/open-stage.ts'

let isBroken = true

const work = defineAction({
  name: 'test/work',
  summary: 'Work, or fail',
  safety: 'read',
  input: { type: 'object' },
  output: { type: 'object' },
  async run() {
    if (isBroken) throw new RunbookError('NotFound' as never, 'there is nothing')
    return {}
  },
})

test('runs of a status are listed without a request for each, and a resumed one with its last execution only', async () => {
  const stage = await openStage(inject('temporalAddress'), [work])
  onTestFinished(() => stage.close())
  const { client, taskQueue } = stage
  const { client: counting, requests } = await countingClient()
  const runbook = `listed-${taskQueue}`
  const plan = stage.compile({ name: runbook, steps: [{ id: 'work', uses: work.name }] })
  const runs = await Promise.all([1, 2, 3, 4].map(() => stage.start(plan)))
  const [failed, resumed, ...others] = runs.map(({ runId }) => runId)
  for (const { result } of runs) expect(await result).toMatchObject({ status: 'failed' })
  const listed = async (status: 'failed' | 'succeeded', limit?: number): Promise<readonly string[]> => {
    const filter = { status: [status], runbook, ...(limit === undefined ? {} : { limit }) }
    return (await listRuns({ client: counting, taskQueue }, filter)).map(({ run_id }) => run_id).toSorted()
  }
  await expect.poll(() => listed('failed')).toEqual([failed, resumed, ...others].toSorted())
  // Twice: it has failed in two executions.
  await resumeRun({ ...stage, runId: resumed ?? '', by: systemUserNamed('somebody') })
  await client.workflow
    .getHandle(resumed ?? '')
    .result()
    .catch(() => {})
  await expect.poll(() => listed('failed')).toEqual([failed, resumed, ...others].toSorted())
  isBroken = false
  await resumeRun({ ...stage, runId: resumed ?? '', by: systemUserNamed('somebody') })
  await client.workflow.getHandle(resumed ?? '').result()
  await expect.poll(() => listed('succeeded')).toEqual([resumed])
  expect(await listed('failed')).toEqual([failed, ...others].toSorted())
  expect(await listed('failed', 2)).toHaveLength(2)
  // The newest execution that failed is of a run that has succeeded since: the list looks further back for another.
  const starts: number[] = []
  const query = `OpsbookRunbook = '${runbook}' AND ExecutionStatus = 'Failed'`
  for await (const { startTime } of client.workflow.list({ query })) starts.push(startTime.getTime())
  const [newest = 0, before = 0] = starts.toSorted((one, other) => other - one)
  const spanMs = Date.now() - (newest + before) / 2
  const few = { status: ['failed'], runbook, limit: 1 } as const
  expect(await listRuns({ client, taskQueue }, few, { readAnyway: 1, spansMs: [spanMs] })).toHaveLength(1)
  requests.length = 0
  await listed('failed')
  // How many, which, and which of them are the last ones.
  expect(requests).toEqual(['CountWorkflowExecutions', 'ListWorkflowExecutions', 'ListWorkflowExecutions'])
})
