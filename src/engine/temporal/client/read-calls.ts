import type { Client } from '@temporalio/client'
import { RunbookError } from '../../../core/run-error.ts'
import {
  type AttemptAnswer,
  type AttemptOrder,
  type AttemptRefusal,
  givenUp,
  isGivenUp,
  type LateAnswer,
  lateSignal,
  type RunStart,
  type SendingNotice,
  sendingSignal,
  waitedTooLong,
} from '../messages.ts'
import { momentOf } from './look-for-workers.ts'
import { decodePayload, type HistoryEvent, readHistory } from './read-history.ts'

/** The start and the calls of an execution, in the order of its history. */
export type CallEvent =
  | { readonly kind: 'started'; readonly start: RunStart }
  | { readonly kind: 'begun'; readonly id: string; readonly order: AttemptOrder; readonly atMs: number }
  | {
      readonly kind: 'ended'
      readonly id: string
      readonly atMs: number
      readonly answer?: AttemptAnswer
      readonly refusal?: AttemptRefusal
      /** Neither an answer nor a refusal: whether its request may have left. */
      readonly wasSent?: boolean
    }
  /** The request of a create is about to leave: without this event, nothing was sent. */
  | { readonly kind: 'announced'; readonly id: string; readonly atMs: number }

/** Reads the calls of one execution of a run, without any worker. */
export async function* readCalls(
  client: Client,
  runId: string,
  executionId: string | undefined,
): AsyncGenerator<CallEvent> {
  const creates = createAnnouncements()
  for await (const event of readHistory(client, runId, executionId)) {
    const atMs = momentOf(event.eventTime)
    const announced = await readSignal<SendingNotice>(client, event, runId, sendingSignal)
    const late = await readSignal<LateAnswer>(client, event, runId, lateSignal)
    const read = (await readBegin(client, event, runId)) ?? (await readEnd(client, event, runId))
    if (announced) {
      const id = creates.announce(announced)
      if (id !== undefined) yield { kind: 'announced', id, atMs }
    } else if (late) {
      const id = creates.announcedId(late)
      // The activity has timed out, and its worker has the result.
      const isUnsent = late.refusal !== undefined && isGivenUp(late.refusal)
      if (id !== undefined) yield { kind: 'ended', id, atMs, ...(isUnsent ? { wasSent: false } : late) }
    } else if (read?.kind === 'begun') creates.begin(read)
    if (read?.kind === 'ended' && read.wasSent) yield { ...read, wasSent: creates.maySend(read.id) }
    else if (read) yield read
  }
}

/** Which creates were announced, by the ids of their calls. */
function createAnnouncements(): {
  begin(call: { readonly id: string; readonly order: AttemptOrder }): void
  announce(notice: SendingNotice): string | undefined
  /** Undefined: its request was not about to leave, and another worker has the call. */
  announcedId(notice: SendingNotice): string | undefined
  /** Of anything but a create it is not known. */
  maySend(id: string): boolean
} {
  const ids = new Map<string, string>()
  const silent = new Set<string>()
  const keyOf = ({ path, attempt, handover }: SendingNotice): string => `${path}#${attempt}#${handover}`
  return {
    begin({ id, order: { request, safety, handover } }) {
      if (safety !== 'create') return
      ids.set(keyOf({ ...request, handover }), id)
      silent.add(id)
    },
    announce(notice) {
      const id = ids.get(keyOf(notice))
      return id !== undefined && silent.delete(id) ? id : undefined
    },
    announcedId(notice) {
      const id = ids.get(keyOf(notice))
      return id === undefined || silent.has(id) ? undefined : id
    },
    maySend: (id) => !silent.has(id),
  }
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
    order: order as AttemptOrder,
    atMs: momentOf(event.eventTime),
  }
}

async function readEnd(client: Client, event: HistoryEvent, runId: string): Promise<CallEvent | undefined> {
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
  if (!failed) return { ...ended, wasSent: cancelled === undefined || cancelled === null }
  const info = failed.failure?.applicationFailureInfo
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
