import type { Client, WorkflowExecutionDescription } from '@temporalio/client'
import type { WaitingAttempt } from '../../../core/record/index.ts'
import { recordedTime } from '../../../core/times/index.ts'
import { type AttemptHeartbeat, isAnnouncement } from '../messages.ts'
import { momentOf } from './look-for-workers.ts'
import { decodePayload } from './read-history.ts'

/** A shorter wait is nothing unusual: the windows of the rate limit that fill up are a minute long. */
const unusualWaitMs = 60_000

type Pending = NonNullable<WorkflowExecutionDescription['raw']['pendingActivities']>[number]

/** The attempts of a run that have waited for longer than that, the longest first, from what the server knows alone. */
export async function readWaiting(
  client: Client,
  { raw, workflowId }: WorkflowExecutionDescription,
  leastMs: number = unusualWaitMs,
): Promise<readonly WaitingAttempt[]> {
  const now = Date.now()
  const found = await Promise.all(
    (raw.pendingActivities ?? []).map((pending) => readPending(client, workflowId, pending)),
  )
  return found
    .flatMap((one) => (one && now - Date.parse(one.since) >= leastMs ? [one] : []))
    .toSorted((one, other) => Date.parse(one.since) - Date.parse(other.since))
}

/**
 * The ids of the activities that have neither ended nor announced a request. Nothing of them was sent where they are
 * creates; of others it is not known. The server names them also of an execution that was terminated.
 */
export async function readUnsent(
  client: Client,
  { raw, workflowId }: WorkflowExecutionDescription,
): Promise<ReadonlySet<string>> {
  const found = (raw.pendingActivities ?? []).map(async ({ activityId, heartbeatDetails }) => {
    const heartbeat = await decodePayload(client, workflowId, heartbeatDetails).catch(
      (): AttemptHeartbeat => ({ isAnnounced: true }),
    )
    return activityId && !isAnnouncement(heartbeat) ? [activityId] : []
  })
  return new Set((await Promise.all(found)).flat())
}

/** Undefined: it waits for nothing. */
async function readPending(
  client: Client,
  workflowId: string,
  { activityId, activityType, heartbeatDetails, lastStartedTime, lastWorkerIdentity, scheduledTime }: Pending,
): Promise<WaitingAttempt | undefined> {
  const path = (activityId ?? '').replace(/#\d+$/, '')
  const named = { path, action: activityType?.name ?? '' }
  if (!lastStartedTime) return { ...named, reason: 'worker', since: recordedTime(momentOf(scheduledTime)) }
  // Without the key, the reason stays unknown.
  const details = await decodePayload<AttemptHeartbeat>(client, workflowId, heartbeatDetails).catch(
    () => undefined,
  )
  if (!details?.waitsFor) return undefined
  const { reason, sinceMs, untilMs } = details.waitsFor
  return {
    ...named,
    reason,
    since: recordedTime(sinceMs),
    ...(untilMs === undefined ? {} : { until: recordedTime(untilMs) }),
    ...(lastWorkerIdentity ? { worker: lastWorkerIdentity } : {}),
  }
}
