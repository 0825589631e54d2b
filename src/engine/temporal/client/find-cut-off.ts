import type { Client } from '@temporalio/client'
import type { CarriedAttempt } from '../carried.ts'
import type { AttemptOrder } from '../messages.ts'
import { decodePayload, readHistory } from './read-history.ts'

/**
 * The creates that were on their way when a run was ended at the server, past the run itself. Nobody knows what became
 * of them.
 */
export async function findCutOff(client: Client, runId: string): Promise<readonly CarriedAttempt[]> {
  const open = new Map<string, AttemptOrder>()
  for await (const event of readHistory(client, runId, undefined)) {
    const scheduled = event.activityTaskScheduledEventAttributes
    const ended =
      event.activityTaskCompletedEventAttributes ??
      event.activityTaskFailedEventAttributes ??
      event.activityTaskTimedOutEventAttributes ??
      event.activityTaskCanceledEventAttributes
    if (ended) open.delete(String(ended.scheduledEventId))
    if (!scheduled) continue
    const order = await decodePayload<Partial<AttemptOrder>>(client, scheduled.input)
    if (order?.safety === 'create') open.set(String(event.eventId), order as AttemptOrder)
  }
  const nowMs = Date.now()
  return [...open.values()].map(({ request: { path, attempt, action } }) => {
    const message = `${action} was begun, and its outcome is not known: the run was ended at the server`
    const error = { code: 'OutcomeUnknown', message, path } as const
    return {
      path,
      attempt,
      action,
      attempted: { status: 'failed', error, startedAtMs: nowMs, endedAtMs: nowMs },
    }
  })
}
