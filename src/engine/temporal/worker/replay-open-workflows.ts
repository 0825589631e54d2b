import { type ReplayHistoriesIterable, Worker } from '@temporalio/worker'
import type { ClientPorts } from '../client/client-ports.ts'
import { dataConverterFor } from '../codec/create-codec.ts'
import { lineType } from '../concurrency/line.ts'
import { rateLimiterType, targetLockType } from '../limits/messages.ts'
import { noticeType } from '../notice-messages.ts'
import { eventStoreType } from '../received-events/messages.ts'
import { isRunType } from '../run-listing.ts'
import { workflowBundle } from './workflow-bundle.ts'

/** The result of the replay of one workflow. */
export interface ReplayedWorkflow {
  readonly id: string
  readonly kind: WorkflowKind
  /** Why this code cannot continue it; left out: it can. */
  readonly problem?: string
}

/**
 * Replays every open workflow of a task queue with the code of this version, and changes nothing: shows whether new
 * workers could continue them. All types, since the workers of the queue get tasks of all of them.
 */
export async function* replayOpenWorkflows({
  client,
  taskQueue,
}: ClientPorts): AsyncGenerator<ReplayedWorkflow> {
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
    const kind = workflowKindOf(types.get(id) ?? '')
    yield error === undefined ? { id, kind } : { id, kind, problem: firstLine(error.message) }
  }
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}

/** What workflows of a type are for. */
export interface WorkflowKind {
  /** In the plural. */
  readonly name: string
  /** What stops while one cannot continue. */
  readonly stops: string
}

const runs: WorkflowKind = { name: 'runs', stops: 'the run' }

/** Those of every type that workers register by its name. */
const kinds: Readonly<Record<string, WorkflowKind>> = {
  [rateLimiterType]: { name: 'rate limiters', stops: 'every call of the operations that it counts' },
  [targetLockType]: { name: 'target locks', stops: 'every call to its target' },
  [lineType]: { name: 'lines of concurrency keys', stops: 'every run that needs its concurrency key' },
  [eventStoreType]: { name: 'event stores', stops: 'all events, and the runs that they start' },
  [noticeType]: { name: 'notifications', stops: 'the notifications about its run' },
}

/** What workflows of a type are for. A type that workers do not register stops nothing else. */
export function workflowKindOf(workflowType: string): WorkflowKind {
  if (isRunType(workflowType)) return runs
  return kinds[workflowType] ?? { name: workflowType, stops: 'the workflow' }
}
