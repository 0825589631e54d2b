import { expect, it, onTestFinished } from 'vitest'
import {
  eventsSignal,
  listeningSignal,
  listenSignal,
} from '../../../src/engine/temporal/received-events/listening.ts'
import { evaluationsUpdate, eventStoreType } from '../../../src/engine/temporal/received-events/messages.ts'
import type { Job } from './isolate/create-isolate.ts'
import { encode } from './isolate/payloads.ts'
import { isolateOfFile } from './support/isolate-of-file.ts'

const isolate = isolateOfFile()

const start: Job = { initializeWorkflow: { workflowType: eventStoreType, arguments: [] } }
/** A run that was started at this time listens. */
const listenSince = (sinceMs: number): Job => ({
  signalWorkflow: {
    signalName: listenSignal,
    input: [encode({ runId: 'run_1', sinceMs, taskQueue: 'q', hooks: ['alarm'], request: 1 })],
  },
})
const listen = listenSince(0)
/** The first signal is in the history of the run. */
const isSent: Job = { resolveSignalExternalWorkflow: { seq: 1 } }
const event = { hook: 'alarm', id: 'e', type: 'incident', receivedAtMs: 1, body: {} }
const order = { evaluations: [{ event, candidates: [] }], plans: {}, actionQueue: 'a', keepKeysMs: 1000 }
const evaluate: Job = {
  doUpdate: {
    id: 'u',
    protocolInstanceId: 'u',
    name: evaluationsUpdate,
    runValidator: true,
    input: [encode(order)],
  },
}

/** The commands of each task: their kinds, and the names of signals. */
async function commandsOf(tasks: readonly (readonly Job[])[]): Promise<readonly (readonly string[])[]> {
  const workflow = await isolate.create(eventStoreType, 'opsbook-events/x', 0)
  onTestFinished(() => workflow.dispose())
  const all: string[][] = []
  for (const jobs of tasks) {
    const commands = await workflow.tell({ jobs: [...jobs], timeMs: 1000, historyLength: 10 })
    all.push(
      commands.flatMap(({ updateResponse, signalExternalWorkflowExecution, modifyWorkflowProperties }) => {
        if (updateResponse) return updateResponse.completed ? ['completed'] : ['accepted']
        if (signalExternalWorkflowExecution) return [signalExternalWorkflowExecution.signalName ?? '']
        return modifyWorkflowProperties ? ['memo'] : []
      }),
    )
  }
  return all
}

it('an event is answered before a run that listens has it, also where a replay merges the first tasks', async () => {
  expect(await commandsOf([[start, listen], [isSent], [evaluate]])).toEqual([
    ['memo', listeningSignal],
    [],
    ['accepted', eventsSignal, 'completed'],
  ])
  expect(await commandsOf([[start, listen, evaluate]])).toEqual([
    ['memo', 'accepted', eventsSignal, 'completed'],
  ])
})

it.each([
  ['has the events from its start on', 1000, eventsSignal],
  ['has those of the second before, by which the clocks of two machines may differ', 2000, eventsSignal],
  ['has none from before that', 2001, listeningSignal],
] as const)('a run %s', async (_, startedMs, sent) => {
  const [, , commands] = await commandsOf([[start], [evaluate], [listenSince(startedMs)]])
  expect(commands).toEqual([sent])
})
