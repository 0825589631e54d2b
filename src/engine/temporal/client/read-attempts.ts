import type { Client } from '@temporalio/client'
import type { ActionDescription } from '../../../core/action.ts'
import type { AttemptRecord, SentRecord } from '../../../core/record/run-record.ts'
import { sentText } from '../../attempt/sent-text.ts'
import type { AttemptAnswer, AttemptOrder, AttemptRefusal } from '../messages.ts'
import { checkInputsActivity } from '../messages.ts'
import { isKept } from './is-kept.ts'
import { decodePayload, type HistoryEvent, readHistory, readStart } from './read-history.ts'

/** Says what an action is, where it is known here. */
export type FindAction = (name: string) => ActionDescription | undefined

/** An attempt while its history is read. */
type Open = { -readonly [K in keyof AttemptRecord]: AttemptRecord[K] }

/**
 * The attempts of a run, from the histories of all executions of its workflow that the server still has: no worker is needed. What a write was sent
 * with is told only where its action is known, since the action says what is to be masked.
 */
export async function readAttempts(
  client: Client,
  runId: string,
  findAction: FindAction,
): Promise<readonly AttemptRecord[]> {
  const { carried } = await readStart(client, runId)
  const executions = [...(carried?.executions ?? []).map((execution) => execution.runId), undefined]
  const attempts: Open[] = []
  for (const execution of executions) {
    if (execution !== undefined && !(await isKept(client, runId, execution))) continue
    const open = new Map<string, Open>()
    for await (const event of readHistory(client, runId, execution)) {
      const begun = await readBegin(client, event, findAction)
      if (begun) {
        open.set(String(event.eventId), begun)
        attempts.push(begun)
      } else await readEnd(client, event, open)
    }
  }
  return withRepeats(attempts)
}

async function readBegin(
  client: Client,
  { activityTaskScheduledEventAttributes: scheduled, eventTime }: HistoryEvent,
  findAction: FindAction,
): Promise<Open | undefined> {
  if (!scheduled || scheduled.activityType?.name === checkInputsActivity) return undefined
  const order = await decodePayload<AttemptOrder>(client, scheduled.input)
  if (!order) return undefined
  const { path, attempt, action } = order.request
  const description = findAction(action)
  const sent = description && sentText(order.request, description, order.safety)
  return {
    path,
    attempt,
    action,
    ...(sent === undefined ? {} : { sent: JSON.parse(sent) as SentRecord }),
    status: 'begun',
    started_at: timeText(eventTime),
  }
}

/** What is lost with its worker stays begun: nobody knows how it ended. */
async function readEnd(client: Client, event: HistoryEvent, open: Map<string, Open>): Promise<void> {
  const completed = event.activityTaskCompletedEventAttributes
  const failed = event.activityTaskFailedEventAttributes
  const ended = open.get(String((completed ?? failed)?.scheduledEventId))
  if (!ended) return
  if (completed) {
    const answer = await decodePayload<AttemptAnswer>(client, completed.result)
    ended.status = 'succeeded'
    ended.ended_at = timeText(event.eventTime)
    if (answer?.output !== undefined) ended.output = answer.output
    addFacts(ended, answer)
  } else {
    const details = failed?.failure?.applicationFailureInfo?.details
    const refusal = await decodePayload<AttemptRefusal>(client, details)
    if (!refusal?.error) return
    ended.status = 'failed'
    ended.ended_at = timeText(event.eventTime)
    ended.error = refusal.error
    addFacts(ended, refusal)
  }
}

function addFacts(
  ended: Open,
  facts: { readonly requestId?: string; readonly waitedMs?: number } | undefined,
): void {
  if (facts?.requestId !== undefined) ended.request_id = facts.requestId
  if (facts?.waitedMs !== undefined) ended.waited_ms = facts.waitedMs
}

/** A failed attempt was repeated where there is a later one of the same call. */
function withRepeats(attempts: readonly Open[]): readonly AttemptRecord[] {
  const last = new Map<string, number>()
  for (const { path, attempt } of attempts) last.set(path, Math.max(attempt, last.get(path) ?? 0))
  for (const attempt of attempts) {
    const isRepeated = attempt.status === 'failed' && attempt.attempt < (last.get(attempt.path) ?? 0)
    if (isRepeated) attempt.is_repeated = true
  }
  return attempts
}

function timeText(time: HistoryEvent['eventTime']): string {
  const ms = Number(time?.seconds ?? 0) * 1000 + Math.floor((time?.nanos ?? 0) / 1e6)
  return new Date(ms).toISOString()
}
