import PQueue from 'p-queue'
import type { WaitingAttempt } from '../../../core/record/run-record.ts'
import type { RunbookError } from '../../../core/run-error.ts'
import { isRunQuery } from '../run-type.ts'
import { describeOf } from './describe-run.ts'
import { findObstacle } from './find-obstacle.ts'
import type { QueuePollers } from './look-for-workers.ts'
import { readWaiting } from './read-waiting.ts'
import type { ClientPorts } from './talk-to-run.ts'

/** What is to be said of an open run. */
export interface OpenRun {
  readonly runId: string
  /** None of the workers can continue it. */
  readonly obstacle?: RunbookError
  /** Its attempts that have waited for unusually long. */
  readonly waiting: readonly WaitingAttempt[]
}

/** So many are looked at, the newest. */
const most = 50
const atATime = 5

/** The newest open runs of a task queue: what keeps its workers from continuing them, and what their attempts wait for. */
export async function lookAtOpenRuns(ports: ClientPorts, workers: QueuePollers): Promise<readonly OpenRun[]> {
  const { client, taskQueue } = ports
  const query = `${isRunQuery} AND ExecutionStatus = 'Running' AND TaskQueue = '${taskQueue}'`
  const ids: string[] = []
  for await (const { workflowId } of client.workflow.list({ query, pageSize: most })) {
    ids.push(workflowId)
    if (ids.length === most) break
  }
  const looks = new PQueue({ concurrency: atATime })
  const found = await looks.addAll(
    ids.map((runId) => async (): Promise<readonly OpenRun[]> => {
      const described = await describeOf(ports, runId)
      if (!described) return []
      // Where no worker runs at all, that is what is to be seen to first.
      const obstacle = workers.pollers.length > 0 && (await findObstacle(client, described, workers))
      const waiting = await readWaiting(client, described)
      return [{ runId, waiting, ...(obstacle ? { obstacle } : {}) }]
    }),
  )
  return found.flat()
}
