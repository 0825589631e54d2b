import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { overSignal } from '../../../../src/engine/temporal/alone/messages.ts'
import { createIsolate, type Isolate, type Job } from '../isolate/create-isolate.ts'
import { encode, encodeFailure } from '../isolate/payloads.ts'

let isolate: Isolate
beforeAll(async () => {
  isolate = await createIsolate()
})
afterAll(() => isolate.close())

const order = {
  start: { plan: { name: 'x' }, inputs: {}, scheduled: { schedule: 'x', trigger: 0 } },
  listed: { memo: {} },
  alone: { key: 'one', keeperId: 'opsbook-alone/x' },
}

/** One time of a schedule, whose keeper has begun; what it is told is answered with what it asks for. */
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

it('ends where its keeper is gone without a word: the schedule starts runs again', async () => {
  const { tell, timer } = await open()
  const [asked] = await tell({ fireTimer: { seq: timer } })
  const { seq, workflowExecution } = asked?.signalExternalWorkflowExecution ?? {}
  expect(workflowExecution?.workflowId).toBe('opsbook-alone/x')
  const failure = encodeFailure(new Error('there is no such workflow'))
  const [end] = await tell({ resolveSignalExternalWorkflow: { seq: seq ?? 0, failure } })
  expect(end).toHaveProperty('completeWorkflowExecution')
})

it('waits on where its keeper is there, until that says that the run is over', async () => {
  const { tell, timer } = await open()
  const [asked] = await tell({ fireTimer: { seq: timer } })
  const { seq } = asked?.signalExternalWorkflowExecution ?? {}
  const [again] = await tell({ resolveSignalExternalWorkflow: { seq: seq ?? 0 } })
  expect(again).toHaveProperty('startTimer')
  const ends = await tell({ signalWorkflow: { signalName: overSignal, input: [encode({})] } })
  expect(ends).toContainEqual(expect.objectContaining({ completeWorkflowExecution: expect.anything() }))
})
