import type { Client } from '@temporalio/client'
import { RunbookError } from '../../../core/run-error.ts'
import {
  type AttemptAnswer,
  type AttemptOrder,
  type AttemptRefusal,
  givenUp,
  type RunStart,
} from '../messages.ts'
import { decodePayload, type HistoryEvent, readHistory } from './read-history.ts'

/** What the history of an execution says of its start and of its calls, one after the other. */
export type CallEvent =
  | { readonly kind: 'started'; readonly start: RunStart }
  | { readonly kind: 'begun'; readonly id: string; readonly order: AttemptOrder; readonly atMs: number }
  | {
      readonly kind: 'ended'
      readonly id: string
      readonly atMs: number
      readonly answer?: AttemptAnswer
      readonly refusal?: AttemptRefusal
      /** Neither an answer nor a refusal: its worker was lost, or it was called off before one had taken it. */
      readonly wasSent?: boolean
    }

/** Reads the calls of one execution of a run, without any worker. */
export async function* readCalls(
  client: Client,
  runId: string,
  executionId: string | undefined,
): AsyncGenerator<CallEvent> {
  for await (const event of readHistory(client, runId, executionId)) {
    const read = (await readBegin(client, event, runId)) ?? (await readEnd(client, event))
    if (read) yield read
  }
}

async function readBegin(client: Client, event: HistoryEvent, runId: string): Promise<CallEvent | undefined> {
  const started = event.workflowExecutionStartedEventAttributes
  if (started) {
    const start = await decodePayload<RunStart>(client, started.input)
    if (start) return { kind: 'started', start }
    const message = `the history of ${runId} does not say how it was started`
    throw new RunbookError('PayloadUnreadable', message, { notSent: true })
  }
  const scheduled = event.activityTaskScheduledEventAttributes
  const order = scheduled && (await decodePayload<Partial<AttemptOrder>>(client, scheduled.input))
  // Others ask the workers something, and call nothing.
  if (!order?.request) return undefined
  return { kind: 'begun', id: String(event.eventId), order: order as AttemptOrder, atMs: timeOf(event) }
}

async function readEnd(client: Client, event: HistoryEvent): Promise<CallEvent | undefined> {
  const completed = event.activityTaskCompletedEventAttributes
  const failed = event.activityTaskFailedEventAttributes
  const lost = event.activityTaskTimedOutEventAttributes
  const cancelled = event.activityTaskCanceledEventAttributes
  const of = completed ?? failed ?? lost ?? cancelled
  if (!of) return undefined
  const ended = { kind: 'ended', id: String(of.scheduledEventId), atMs: timeOf(event) } as const
  if (completed) {
    const answer = await decodePayload<AttemptAnswer>(client, completed.result)
    return { ...ended, ...(answer === undefined ? {} : { answer }) }
  }
  if (!failed) return { ...ended, wasSent: cancelled === undefined || cancelled === null }
  const info = failed.failure?.applicationFailureInfo
  const details = await decodePayload<Partial<AttemptRefusal> & { mayBeDone?: boolean }>(
    client,
    info?.details,
  )
  if (details?.error) return { ...ended, refusal: details as AttemptRefusal }
  return { ...ended, wasSent: info?.type === givenUp ? details?.mayBeDone === true : info?.type !== notThere }
}

/** Type of the failure where no worker has the action. */
const notThere = 'NotFoundError'

function timeOf({ eventTime: time }: HistoryEvent): number {
  return Number(time?.seconds ?? 0) * 1000 + Math.floor((time?.nanos ?? 0) / 1e6)
}
