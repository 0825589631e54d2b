import { upsertMemo, uuid4, workflowInfo } from '@temporalio/workflow'
import { type ScheduledMemo, type ScheduledOrder, scheduledPrefix } from '../../schedules/messages.ts'
import { followDeployments } from '../follow-deployments.ts'
import { refuseUnreadable, startOf } from '../require-readable.ts'
import { createAskLine } from './join-line.ts'
import { type DecidedRun, startDecided } from './start-decided.ts'

/**
 * One time of a schedule whose runbook has `concurrency` and does not wait. Starts the run unless another one has the key,
 * records the result, and lasts as long as the run. So the overlap policy of the server applies to the run: when the
 * server cancels this workflow, the run is cancelled. A time that is refused is no run.
 */
export async function opsbookScheduled(order: ScheduledOrder): Promise<void> {
  refuseUnreadable(order)
  const decided = decidedRun(order)
  const record = (fire: NonNullable<ScheduledMemo['fire']>): void => upsertMemo({ fire })
  try {
    const started = await startDecided(decided, createAskLine())
    if ('because' in started) return record({ ...started, because: 'concurrency' })
    record({ run_id: decided.start.runId })
    await started.result()
  } catch {
    // The run says how it ended. Where the server cancelled it before it started, there is none.
    if (!workflowInfo().memo?.['fire'])
      record({ because: 'concurrency', message: 'it was cancelled before it started' })
  }
}

followDeployments(opsbookScheduled)

function decidedRun({ start: given, listed }: ScheduledOrder): DecidedRun {
  const { workflowId } = workflowInfo()
  const start = { ...startOf(given), runId: workflowId.slice(scheduledPrefix.length) }
  const { startedFrom, startedAtMs } = start
  const memo = { ...listed.memo, startedFrom, startedAtMs, startToken: uuid4() }
  return { start, listed: { ...listed, memo } }
}
