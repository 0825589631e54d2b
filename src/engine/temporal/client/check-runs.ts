import PQueue from 'p-queue'
import { RunbookError } from '../../../core/run-error.ts'
import { isRunQuery } from '../run-listing.ts'
import type { ClientPorts } from './client-ports.ts'
import { askState } from './read-run.ts'

/** How many runs are asked, the newest. */
const most = 50
const atATime = 25
/** What it can be that keeps a run from being continued. */
const obstacles: readonly string[] = ['CodeCannotReplay', 'BuildIsGone', 'NoWorker']

/** Asks the newest open runs of a task queue how they are: what keeps its workers from continuing them. */
export async function findObstacles(ports: ClientPorts): Promise<readonly RunbookError[]> {
  const { client, taskQueue } = ports
  const query = `${isRunQuery} AND ExecutionStatus = 'Running' AND TaskQueue = '${taskQueue}'`
  const asks: (() => Promise<readonly RunbookError[]>)[] = []
  for await (const { workflowId } of client.workflow.list({ query, pageSize: most })) {
    asks.push(() => findOne(workflowId, ports))
    if (asks.length === most) break
  }
  return (await new PQueue({ concurrency: atATime }).addAll(asks)).flat()
}

async function findOne(runId: string, ports: ClientPorts): Promise<readonly RunbookError[]> {
  try {
    await askState(runId, ports)
    return []
  } catch (thrown) {
    if (RunbookError.is(thrown) && obstacles.includes(thrown.code)) return [thrown]
    // It has ended in the meantime, or what is wrong is not its worker.
    return []
  }
}
