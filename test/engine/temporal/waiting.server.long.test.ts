import { afterAll, beforeAll, expect, it } from 'vitest'
import { waitingAttemptText } from '../../../src/cli/show/waiting-lines.ts'
import { readWaiting } from '../../../src/engine/temporal/client/read-waiting.ts'
import { openTemporalLimits, type TemporalLimits } from '../../../src/engine/temporal/index.ts'
import { retryStart } from '../../support/retry-start.ts'
import { stageOfFile } from './support/stage-of-file.ts'

const target = 'web-01'
const invoke = {
  id: 'check',
  uses: 'monit/tools/invoke',
  with: { target_locator: target, tools: [{ tool: 'os.overview' }] },
}

const stage = stageOfFile([], { sharesLimits: true })
let other: TemporalLimits

beforeAll(async () => {
  other = await retryStart(() => openTemporalLimits(stage.settings))
})

afterAll(() => other.close())

async function waitingOf(runId: string, leastMs: number): ReturnType<typeof readWaiting> {
  return readWaiting(stage.client, await stage.client.workflow.getHandle(runId).describe(), leastMs)
}

it('an attempt that waits for its target is named with its reason, its worker and since when', async () => {
  const key = JSON.stringify(['monit/tools/invoke', 'staged', target])
  const free = await other.targetLocks.acquire(key)
  const beforeMs = Date.now()
  const { runId, result } = await stage.start(stage.compile({ steps: [invoke] }))
  await expect
    .poll(() => waitingOf(runId, 0))
    .toEqual([
      {
        path: 'check/group-1',
        action: 'monit/tools/invoke',
        reason: 'target',
        since: expect.any(String),
        worker: expect.any(String),
      },
    ])
  const [waiting] = await waitingOf(runId, 0)
  expect(Date.parse(waiting?.since ?? '')).toBeGreaterThanOrEqual(beforeMs)
  const hourMs = 3_600_000
  expect(await waitingOf(runId, hourMs)).toEqual([])
  free()
  expect(await result).toMatchObject({ status: 'succeeded' })
  expect(await waitingOf(runId, 0)).toEqual([])
})

it('an attempt that no worker takes is named, too', async () => {
  await stage.stopWorker()
  const worker = await stage.startWorker('runs')
  // Inputs of a runbook that a step runs are checked without a worker for calls.
  const run = { id: 'child', uses: 'core/run', with: { runbook: 'child.yaml', inputs: { n: 1 } } }
  const child = {
    inputs: {
      type: 'object',
      required: ['n'],
      properties: { n: { type: 'number' }, of: { type: 'string', default: 'ten' } },
    },
    steps: [{ id: 'say', uses: 'core/set', with: { text: '${{ string(inputs.n) + " of " + inputs.of }}' } }],
    outputs: { text: '${{ steps.say.outputs.text }}' },
  }
  const outputs = { text: '${{ steps.child.outputs.text }}' }
  const plan = stage.compile({ steps: [run, invoke], outputs }, { 'child.yaml': child })
  const { runId, result } = await stage.start(plan)
  await expect.poll(() => waitingOf(runId, 0)).toMatchObject([{ path: 'check/group-1', reason: 'worker' }])
  const again = await stage.startWorker()
  expect(await result).toMatchObject({ status: 'succeeded', outputs: { text: '1 of ten' } })
  await again.stop()
  await worker.stop()
})

it('a call whose limiter does not know its request fails, and waits no longer', async () => {
  // A workflow of another type under the id of the limiter refuses the update, as workers of another version do.
  const workflowId = `opsbook-limits/${stage.taskQueue}/refused`
  const { taskQueue } = stage
  const lock = await stage.startWorker('runs')
  await stage.client.workflow.start('opsbookTargetLock', { workflowId, taskQueue, args: ['web-02'] })
  await expect(other.budget.acquire('refused', [{ max: 1, lengthMs: 1000 }])).rejects.toMatchObject({
    code: 'InternalDefect',
    message: expect.stringContaining(`the rate limiter ${workflowId} refuses a request`),
    notSent: true,
  })
  await stage.client.workflow.getHandle(workflowId).terminate()
  await lock.stop()
})

it.each([
  [{ reason: 'target' }, 'waits for its target, which another call uses, for 2m 00s now'],
  [{ reason: 'worker' }, 'waits for a worker, for 2m 00s now'],
  [{ reason: 'budget', worker: 'host-1' }, 'waits for the rate limit, for 2m 00s now, at host-1'],
] as const)('what an attempt waits for is put into words: %o', (facts, text) => {
  const now = Date.parse('2026-11-22T09:00:00Z')
  const attempt = { path: 'check', action: 'monit/tools/invoke', since: '2026-11-22T08:58:00Z', ...facts }
  expect(waitingAttemptText(attempt, now)).toContain(text)
})
