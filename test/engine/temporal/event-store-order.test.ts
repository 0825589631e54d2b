import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { listenSignal } from '../../../src/engine/temporal/received-events/listening.ts'
import { evaluationsUpdate, eventStoreType } from '../../../src/engine/temporal/received-events/messages.ts'
import { createIsolate, type Isolate, type Job } from './isolate/create-isolate.ts'
import { encode } from './isolate/payloads.ts'

let isolate: Isolate
beforeAll(async () => {
  isolate = await createIsolate()
})
afterAll(() => isolate.close())

const start: Job = { initializeWorkflow: { workflowType: eventStoreType, arguments: [] } }
const listen: Job = {
  signalWorkflow: {
    signalName: listenSignal,
    input: [encode({ runId: 'run_1', sinceMs: 0, taskQueue: 'q', hooks: ['alarm'] })],
  },
}
const event = { hook: 'alarm', id: 'e', type: 'incident', receivedAtMs: 1, body: {} }
const order = { evaluations: [{ event, candidates: [] }], plans: [], actionQueue: 'a', keepKeysMs: 1000 }
const evaluate: Job = {
  doUpdate: {
    id: 'u',
    protocolInstanceId: 'u',
    name: evaluationsUpdate,
    runValidator: true,
    input: [encode(order)],
  },
}

/** The kinds of the commands of each task. */
async function commandsOf(tasks: readonly (readonly Job[])[]): Promise<readonly (readonly string[])[]> {
  const workflow = await isolate.create(eventStoreType, 'opsbook-events/x', 0)
  onTestFinished(() => workflow.dispose())
  const all: string[][] = []
  for (const jobs of tasks) {
    const commands = await workflow.tell({ jobs: [...jobs], timeMs: 1000, historyLength: 10 })
    all.push(
      commands.flatMap(({ updateResponse, signalExternalWorkflowExecution, modifyWorkflowProperties }) => {
        if (updateResponse) return updateResponse.completed ? ['completed'] : ['accepted']
        if (signalExternalWorkflowExecution) return ['signal']
        return modifyWorkflowProperties ? ['memo'] : []
      }),
    )
  }
  return all
}

it('a run that listens has an event before its sender is answered, also where a replay merges the first tasks', async () => {
  // The first signal says that the run listens.
  expect(await commandsOf([[start, listen], [evaluate]])).toEqual([
    ['memo', 'signal'],
    ['accepted', 'signal'],
  ])
  expect(await commandsOf([[start, listen, evaluate]])).toEqual([['memo', 'accepted', 'signal', 'signal']])
})
