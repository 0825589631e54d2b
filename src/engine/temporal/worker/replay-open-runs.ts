import type { Client } from '@temporalio/client'
import { Worker } from '@temporalio/worker'
import { dataConverterFor } from '../codec/data-converter.ts'
import { isRunQuery } from '../run-type.ts'
import { workflowBundle } from './workflow-bundle.ts'

/** What became of one run. */
export interface ReplayedRun {
  readonly runId: string
  /** Why this code cannot go on with it; left out: it can. */
  readonly problem?: string
}

/** What is replayed, and where. */
export interface ReplayOptions {
  readonly client: Client
  /** Task queue of the runs. */
  readonly taskQueue: string
}

/**
 * Replays every run that is open with the workflow code of this version, and changes nothing: whether its workers could go
 * on with what others have begun. One by one, in no order.
 */
export async function* replayOpenRuns({ client, taskQueue }: ReplayOptions): AsyncGenerator<ReplayedRun> {
  const query = `${isRunQuery} AND ExecutionStatus = 'Running' AND TaskQueue = '${taskQueue}'`
  const histories = client.workflow.list({ query }).intoHistories()
  const options = { workflowBundle: await workflowBundle(), dataConverter: dataConverterFor('throw') }
  for await (const { workflowId, error } of Worker.runReplayHistories(options, histories)) {
    yield error === undefined
      ? { runId: workflowId }
      : { runId: workflowId, problem: firstLine(error.message) }
  }
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}
