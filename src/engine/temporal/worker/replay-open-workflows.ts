import type { Client } from '@temporalio/client'
import { type ReplayHistoriesIterable, Worker } from '@temporalio/worker'
import { dataConverterFor } from '../codec/data-converter.ts'
import { kindOf, type WorkflowKind } from '../workflow-kinds.ts'
import { workflowBundle } from './workflow-bundle.ts'

/** The result of the replay of one workflow. */
export interface ReplayedWorkflow {
  readonly id: string
  readonly kind: WorkflowKind
  /** Why this code cannot continue it; left out: it can. */
  readonly problem?: string
}

/** What is replayed, and where. */
export interface ReplayOptions {
  readonly client: Client
  /** Task queue of the runs. */
  readonly taskQueue: string
}

/**
 * Replays every workflow that is open on a task queue with the code of this version, and changes nothing: whether its
 * workers could continue what others have begun. All types, since the workers of the queue get tasks of all of them.
 */
export async function* replayOpenWorkflows({
  client,
  taskQueue,
}: ReplayOptions): AsyncGenerator<ReplayedWorkflow> {
  const types = new Map<string, string>()
  const readHistories = async function* (): ReplayHistoriesIterable {
    const query = `ExecutionStatus = 'Running' AND TaskQueue = '${taskQueue}'`
    for await (const { workflowId, runId, type } of client.workflow.list({ query })) {
      types.set(workflowId, type)
      yield { workflowId, history: await client.workflow.getHandle(workflowId, runId).fetchHistory() }
    }
  }
  const options = { workflowBundle: await workflowBundle(), dataConverter: dataConverterFor('throw') }
  for await (const { workflowId: id, error } of Worker.runReplayHistories(options, readHistories())) {
    const kind = kindOf(types.get(id) ?? '')
    yield error === undefined ? { id, kind } : { id, kind, problem: firstLine(error.message) }
  }
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}
