import type { Client } from '@temporalio/client'
import { RunbookError } from '../../../core/run-error.ts'
import {
  type AttemptAnswer,
  type AttemptOrder,
  type AttemptRefusal,
  givenUp,
  type HandedAttempt,
  isAnnouncement,
  isGivenUp,
  type LateAnswer,
  lateSignal,
  type RunStart,
  waitedTooLong,
} from '../messages.ts'
import { momentOf } from './look-for-workers.ts'
import { decodePayload, type HistoryEvent, readHistory } from './read-history.ts'

/** The start and the calls of an execution, in the order of its history. */
export type CallEvent =
  | { readonly kind: 'started'; readonly start: RunStart }
  | {
      readonly kind: 'begun'
      readonly id: string
      readonly activityId: string
      readonly order: AttemptOrder
      readonly atMs: number
    }
  | {
      readonly kind: 'ended'
      readonly id: string
      readonly atMs: number
      readonly answer?: AttemptAnswer
      readonly refusal?: AttemptRefusal
      /** Neither an answer nor a refusal: whether its request may have left. */
      readonly wasSent?: boolean
    }

/** Reads the calls of one execution of a run, without any worker. */
export async function* readCalls(
  client: Client,
  runId: string,
  executionId: string | undefined,
): AsyncGenerator<CallEvent> {
  /** The creates, by the ids of their calls, and the calls whose workers were lost after they had announced the request. */
  const creates = new Map<string, string>()
  const lost = new Map<string, string>()
  for await (const event of readHistory(client, runId, executionId)) {
    const atMs = momentOf(event.eventTime)
    const late = await readSignal<LateAnswer>(client, event, runId, lateSignal)
    const read = (await readBegin(client, event, runId)) ?? (await readEnd(client, event, runId, creates))
    if (late) {
      const id = lost.get(keyOf(late))
      // The activity has timed out, and its worker has the result.
      const isUnsent = late.refusal !== undefined && isGivenUp(late.refusal)
      if (id !== undefined) yield { kind: 'ended', id, atMs, ...(isUnsent ? { wasSent: false } : late) }
    } else if (read?.kind === 'begun' && read.order.safety === 'create') {
      creates.set(read.id, keyOf({ ...read.order.request, handover: read.order.handover }))
    } else if (read?.kind === 'ended' && read.wasSent) {
      const create = creates.get(read.id)
      if (create !== undefined) lost.set(create, read.id)
    }
    if (read) yield read
  }
}

function keyOf({ path, attempt, handover }: HandedAttempt): string {
  return `${path}#${attempt}#${handover}`
}

async function readSignal<Message>(
  client: Client,
  event: HistoryEvent,
  runId: string,
  name: string,
): Promise<Message | undefined> {
  const signal = event.workflowExecutionSignaledEventAttributes
  return signal?.signalName === name ? decodePayload<Message>(client, runId, signal.input) : undefined
}

async function readBegin(client: Client, event: HistoryEvent, runId: string): Promise<CallEvent | undefined> {
  const started = event.workflowExecutionStartedEventAttributes
  if (started) {
    const start = await decodePayload<RunStart>(client, runId, started.input)
    if (start) return { kind: 'started', start }
    const message = `the history of ${runId} does not say how it was started`
    throw new RunbookError('PayloadUnreadable', message, { notSent: true })
  }
  const scheduled = event.activityTaskScheduledEventAttributes
  const order = scheduled && (await decodePayload<Partial<AttemptOrder>>(client, runId, scheduled.input))
  // Other activities call nothing.
  if (!order?.request) return undefined
  return {
    kind: 'begun',
    id: String(event.eventId),
    activityId: scheduled?.activityId ?? '',
    order: order as AttemptOrder,
    atMs: momentOf(event.eventTime),
  }
}

async function readEnd(
  client: Client,
  event: HistoryEvent,
  runId: string,
  creates: ReadonlyMap<string, string>,
): Promise<CallEvent | undefined> {
  const completed = event.activityTaskCompletedEventAttributes
  const failed = event.activityTaskFailedEventAttributes
  const lost = event.activityTaskTimedOutEventAttributes
  const cancelled = event.activityTaskCanceledEventAttributes
  const of = completed ?? failed ?? lost ?? cancelled
  if (!of) return undefined
  const ended = { kind: 'ended', id: String(of.scheduledEventId), atMs: momentOf(event.eventTime) } as const
  if (completed) {
    const answer = await decodePayload<AttemptAnswer>(client, runId, completed.result)
    return { ...ended, ...(answer === undefined ? {} : { answer }) }
  }
  if (cancelled) return { ...ended, wasSent: false }
  if (lost) {
    const heartbeat = lost.failure?.timeoutFailureInfo?.lastHeartbeatDetails
    const isAnnounced = isAnnouncement(await decodePayload(client, runId, heartbeat))
    return { ...ended, wasSent: isAnnounced || !creates.has(ended.id) }
  }
  const info = failed?.failure?.applicationFailureInfo
  const details = await decodePayload<Partial<AttemptRefusal> & { mayHaveExecuted?: boolean }>(
    client,
    runId,
    info?.details,
  )
  if (details?.error) return { ...ended, refusal: details as AttemptRefusal }
  const wasSent =
    info?.type === givenUp ? details?.mayHaveExecuted === true : !unsent.includes(info?.type ?? '')
  return { ...ended, wasSent }
}

/** Types of the failures where no worker has the action, or the attempt has only waited. */
const unsent: readonly string[] = ['NotFoundError', waitedTooLong]
