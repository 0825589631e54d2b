import type { ScheduleDescription } from '@temporalio/client'
import type { ScheduleFire } from '../../../core/triggers/schedule-record.ts'
import { describeOf } from '../client/describe-run.ts'
import { readSummary } from '../client/read-summary.ts'
import type { ClientPorts } from '../client/talk-to-run.ts'
import { isRunQuery } from '../run-type.ts'
import { type ScheduledMemo, scheduledPrefix } from './messages.ts'
import { runIdsByHand, timeInRunId } from './schedule-ids.ts'

type ScheduleAction = ScheduleDescription['info']['recentActions'][number]

/** The server knows so many of what it has started itself. */
const most = 10

/** What came of the last times of a schedule, and of what people wanted besides: the newest first. */
export async function firesOf(
  ports: ClientPorts,
  id: string,
  recentActions: readonly ScheduleAction[],
): Promise<readonly ScheduleFire[]> {
  const started = await Promise.all(recentActions.map((action) => fireOf(ports, action)))
  const fires = [...started.flat(), ...(await startedByHand(ports, id))]
  return fires.toSorted((one, other) => (one.at < other.at ? 1 : -1)).slice(0, most)
}

/** None where it is not known any more. */
async function fireOf(
  ports: ClientPorts,
  { action, scheduledAt }: ScheduleAction,
): Promise<readonly ScheduleFire[]> {
  const { workflowId, firstExecutionRunId } = action.workflow
  // The time itself, where the server tells one that is later by chance.
  const at = timeInRunId(workflowId) ?? scheduledAt.toISOString()
  if (!workflowId.startsWith(scheduledPrefix)) return [{ at, run_id: workflowId }]
  const described = await describeOf(ports, workflowId, firstExecutionRunId)
  if (!described) return []
  const { fire } = (described.memo ?? {}) as ScheduledMemo
  return [{ at, ...(fire ?? { because: 'waits', message: 'it waits for a worker' }) }]
}

async function startedByHand(
  { client, taskQueue }: ClientPorts,
  id: string,
): Promise<readonly ScheduleFire[]> {
  const prefix = runIdsByHand(taskQueue, id)
  const query = `${isRunQuery} AND ExecutionStatus != 'ContinuedAsNew' AND WorkflowId STARTS_WITH '${prefix}'`
  const fires: ScheduleFire[] = []
  for await (const info of client.workflow.list({ query })) {
    const { run_id, started_by, started_at, started_from } = readSummary(info)
    const at = started_from?.kind === 'schedule' ? started_from.at : started_at
    // One that has gone on after its end has several executions.
    if (!fires.some((fire) => fire.run_id === run_id))
      fires.push({ at, run_id, ...(started_by === undefined ? {} : { started_by }) })
  }
  return fires
}
