import { workflowInfo } from '@temporalio/workflow'
import { whyUnreadable } from '../codec/unreadable.ts'
import { type RunStart, type ScheduledStart, scheduledTimeAttribute } from '../messages.ts'

/** What a run is started with. One that a schedule starts has its id and its times from the server. */
export function startOf(given: RunStart | ScheduledStart): RunStart {
  // What cannot be decrypted has no parts.
  if (whyUnreadable(given) !== undefined || !('scheduled' in given)) return given as RunStart
  const { scheduled, ...start } = given
  const { workflowId, startTime, searchAttributes } = workflowInfo()
  const [time = startTime] = searchAttributes[scheduledTimeAttribute] ?? []
  return {
    ...start,
    runId: workflowId,
    startedAtMs: startTime.getTime(),
    startedFrom: { kind: 'schedule', ...scheduled, at: new Date(time as Date).toISOString() },
  }
}
