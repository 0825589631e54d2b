import { expect, it, onTestFinished } from 'vitest'
import {
  overSignal,
  takePlaceSignal,
  unwantedSignal,
} from '../../../../src/engine/temporal/concurrency/messages.ts'
import type { Job } from '../isolate/create-isolate.ts'
import { decode, encode, encodeFailure } from '../isolate/payloads.ts'
import { isolateOfFile } from '../support/isolate-of-file.ts'

const isolate = isolateOfFile()

const order = {
  start: { plan: { name: 'x' }, inputs: {}, scheduled: { schedule: 'x', trigger: 0 } },
  listed: { memo: {} },
  concurrencyOrder: { key: 'one', lockId: 'opsbook-concurrency/x' },
}

/** One time of a schedule, after the start of its lock workflow. `tell` answers with the commands of the task. */
async function open() {
  const workflowType = 'opsbookScheduled'
  const workflow = await isolate.create(workflowType, 'opsbook-scheduled/run_x', 0)
  onTestFinished(() => workflow.dispose())
  let timeMs = 0
  const tell = async (job: Job) => {
    timeMs += 1000
    return workflow.tell({ jobs: [job], timeMs, historyLength: 10 })
  }
  const [child] = await tell({ initializeWorkflow: { workflowType, arguments: [encode(order)] } })
  const { seq } = child?.startChildWorkflowExecution ?? {}
  const [memo, timer] = await tell({
    resolveChildWorkflowExecutionStart: { seq: seq ?? 0, succeeded: { runId: 'one' } },
  })
  expect(memo?.modifyWorkflowProperties).toBeDefined()
  return { tell, timer: timer?.startTimer?.seq ?? -1 }
}

/** `WORKFLOW_ALREADY_EXISTS` of the causes of a child that was not started. */
const alreadyExists = 1

it.each([
  ['is its own', 'run_x', { run_id: 'run_x' }],
  [
    'is another one',
    'run_y',
    { because: 'concurrency', message: expect.stringContaining('still running'), run_id: 'run_y' },
  ],
])('a start that finds its key taken, by a run that %s', async (_, runId, expected) => {
  const workflowType = 'opsbookScheduled'
  const workflow = await isolate.create(workflowType, 'opsbook-scheduled/run_x', 0)
  onTestFinished(() => workflow.dispose())
  const tell = (job: Job) => workflow.tell({ jobs: [job], timeMs: 1000, historyLength: 10 })
  const [child] = await tell({ initializeWorkflow: { workflowType, arguments: [encode(order)] } })
  const { seq, workflowId, workflowType: childType } = child?.startChildWorkflowExecution ?? {}
  const failed = {
    cause: alreadyExists,
    workflowId: workflowId ?? '',
    workflowType: childType ?? '',
  }
  const [look] = await tell({ resolveChildWorkflowExecutionStart: { seq: seq ?? 0, failed } })
  const result = encode({ lockId: order.concurrencyOrder.lockId, runId })
  const [memo] = await tell({
    resolveActivity: {
      seq: look?.scheduleLocalActivity?.seq ?? -1,
      isLocal: true,
      result: { completed: { result } },
    },
  })
  const fire = memo?.modifyWorkflowProperties?.upsertedMemo?.fields?.fire
  expect(fire && decode(fire)).toEqual(expected)
})

it('ends where its lock workflow is gone without a word: the schedule starts runs again', async () => {
  const { tell, timer } = await open()
  const [asked] = await tell({ fireTimer: { seq: timer } })
  const { seq, workflowExecution } = asked?.signalExternalWorkflowExecution ?? {}
  expect(workflowExecution?.workflowId).toBe('opsbook-concurrency/x')
  const failure = encodeFailure(new Error('there is no such workflow'))
  const [end] = await tell({ resolveSignalExternalWorkflow: { seq: seq ?? 0, failure } })
  expect(end).toHaveProperty('completeWorkflowExecution')
})

it('waits on where its lock workflow is there, until that says that the run is over', async () => {
  const { tell, timer } = await open()
  const [asked] = await tell({ fireTimer: { seq: timer } })
  const { seq } = asked?.signalExternalWorkflowExecution ?? {}
  const [again] = await tell({ resolveSignalExternalWorkflow: { seq: seq ?? 0 } })
  expect(again).toHaveProperty('startTimer')
  const ends = await tell({ signalWorkflow: { signalName: overSignal, input: [encode({})] } })
  expect(ends).toContainEqual(expect.objectContaining({ completeWorkflowExecution: expect.anything() }))
})

it('says that no run was started where it was cancelled while it waited for its key', async () => {
  const { tell } = await open()
  const commands = await tell({ cancelWorkflow: { reason: 'another time has come' } })
  const [asked] = commands.flatMap(({ signalExternalWorkflowExecution: one }) => one ?? [])
  expect(asked?.signalName).toBe(unwantedSignal)
  await tell({ resolveSignalExternalWorkflow: { seq: asked?.seq ?? 0 } })
  const told = await toldByLock([takePlace('run_x')], [signal(unwantedSignal, 'run_x')])
  expect(await fireAfter(tell, told)).toEqual({
    because: 'concurrency',
    message: 'it was cancelled before it started',
  })
})

it('says which run was faster in the place of one that has ended', async () => {
  const { tell } = await open()
  const told = await toldByLock([takePlace('run_y')], [takePlace('run_x')])
  expect(await fireAfter(tell, told)).toEqual({
    because: 'concurrency',
    message: 'run_y took the concurrency key before it started',
    run_id: 'run_y',
  })
})

/** What the starter of a run records once its lock workflow has said that the run is over. */
async function fireAfter(tell: Awaited<ReturnType<typeof open>>['tell'], told: unknown): Promise<unknown> {
  const ends = await tell({ signalWorkflow: { signalName: overSignal, input: [encode(told)] } })
  const [fire] = ends.flatMap(({ modifyWorkflowProperties: changed }) =>
    Object.values(changed?.upsertedMemo?.fields ?? {}),
  )
  return fire && decode(fire)
}

function signal(signalName: string, ...input: readonly unknown[]): Job {
  return { signalWorkflow: { signalName, input: input.map(encode) } }
}

const kept = (runId: string) => ({
  start: { ...order.start, runId },
  listed: { memo: { startToken: `token of ${runId}` } },
})

/** A run is to take the place of the one that the lock workflow has started. */
function takePlace(runId: string): Job {
  return signal(
    takePlaceSignal,
    { ...kept(runId), awaitedBy: 'opsbook-scheduled/run_x' },
    'token of run_first',
  )
}

/** What a lock workflow says to the starter of `run_x` after the last of these jobs. */
async function toldByLock(...tasks: readonly (readonly Job[])[]): Promise<unknown> {
  const workflowType = 'opsbookConcurrencyLock'
  const workflow = await isolate.create(workflowType, order.concurrencyOrder.lockId, 0)
  onTestFinished(() => workflow.dispose())
  const first: Job = { initializeWorkflow: { workflowType, arguments: [encode(kept('run_first'))] } }
  let said: unknown
  for (const [index, jobs] of [[first], ...tasks].entries()) {
    const commands = await workflow.tell({ jobs: [...jobs], timeMs: 1000 * (index + 1), historyLength: 10 })
    const [told] = commands.flatMap(({ signalExternalWorkflowExecution: one }) => one ?? [])
    said = told?.args?.[0] && decode(told.args[0])
  }
  return said
}

it.each([
  [29_000, 'starts'],
  [31_000, 'does not start'],
])('a lock workflow that no worker has picked up for %i ms %s a resumed run', async (timeMs, _) => {
  const workflowType = 'opsbookConcurrencyLock'
  const workflow = await isolate.create(workflowType, order.concurrencyOrder.lockId, 0)
  onTestFinished(() => workflow.dispose())
  const kept = { start: { ...order.start, runId: 'run_x' }, listed: order.listed, resumedAtMs: 0 }
  const jobs: Job[] = [{ initializeWorkflow: { workflowType, arguments: [encode(kept)] } }]
  const commands = await workflow.tell({ jobs, timeMs, historyLength: 3 })
  const hasStarted = commands.some((command) => command.startChildWorkflowExecution)
  const hasEnded = commands.some((command) => command.completeWorkflowExecution)
  expect({ hasStarted, hasEnded }).toEqual({ hasStarted: timeMs < 30_000, hasEnded: timeMs > 30_000 })
})
