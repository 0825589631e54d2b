import PQueue from 'p-queue'
import type { RunbookError } from '../../../core/run-error.ts'
import { isRunQuery } from '../run-type.ts'
import { describeOf } from './describe-run.ts'
import { findObstacle } from './find-obstacle.ts'
import type { QueuePollers } from './look-for-workers.ts'
import type { ClientPorts } from './talk-to-run.ts'

/** A run that none of the workers can continue. */
export interface StuckRun {
  readonly runId: string
  readonly error: RunbookError
}

/** What a look at the open runs has found. */
export interface StuckRuns {
  readonly looked: number
  readonly stuck: readonly StuckRun[]
}

/** So many are looked at, the newest. */
const most = 50
const atATime = 5

/** Looks for open runs of a task queue that its workers cannot continue: their code does not fit, or a build has gone. */
export async function findStuckRuns(ports: ClientPorts, runs: QueuePollers): Promise<StuckRuns> {
  const { client, taskQueue } = ports
  const query = `${isRunQuery} AND ExecutionStatus = 'Running' AND TaskQueue = '${taskQueue}'`
  const ids: string[] = []
  for await (const { workflowId } of client.workflow.list({ query, pageSize: most })) {
    ids.push(workflowId)
    if (ids.length === most) break
  }
  const looks = new PQueue({ concurrency: atATime })
  const found = await looks.addAll(
    ids.map((runId) => async (): Promise<readonly StuckRun[]> => {
      const workflow = await describeOf(ports, runId)
      const error = workflow && (await findObstacle(client, workflow, runs))
      return error ? [{ runId, error }] : []
    }),
  )
  return { looked: ids.length, stuck: found.flat() }
}
