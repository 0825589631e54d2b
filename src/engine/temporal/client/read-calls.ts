import type { Client } from '@temporalio/client'
import {
  type AttemptAnswer,
  type AttemptOrder,
  type AttemptRefusal,
  givenUp,
  isAnnouncement,
  isGivenUp,
  type LateAnswer,
  lateSignal,
  type RunStart,
  waitedTooLong,
} from '../messages.ts'
import { momentOf } from './look-for-workers.ts'
import { decodePayload, type HistoryEvent, noStart, type Payloads, readHistory } from './read-history.ts'

/** A call that an execution of a run has scheduled. */
export interface HistoryCall {
  readonly activityId: string
  readonly order: AttemptOrder
  readonly atMs: number
  /** Left out: the history does not have it. */
  end?: CallEnd
}

/** The end of a call. */
export interface CallEnd {
  readonly atMs: number
  readonly answer?: AttemptAnswer
  readonly refusal?: AttemptRefusal
  /** Neither an answer nor a refusal: whether its request may have left. */
  readonly wasSent?: boolean
}

type Decode = <T>(payloads: Payloads) => Promise<T | undefined>

/** Reads the start and the calls of one execution of a run, in the order of its history. Needs no worker. */
export async function readCalls(
  client: Client,
  runId: string,
  executionId: string | undefined,
): Promise<{ readonly start: RunStart; readonly calls: readonly HistoryCall[] }> {
  const decode: Decode = (payloads) => decodePayload(client, runId, payloads)
  const calls = new Map<string, HistoryCall>()
  let start: RunStart | undefined
  for await (const event of readHistory(client, runId, executionId)) {
    const atMs = momentOf(event.eventTime)
    const scheduled = event.activityTaskScheduledEventAttributes
    const signal = event.workflowExecutionSignaledEventAttributes
    start ??= await decode<RunStart>(event.workflowExecutionStartedEventAttributes?.input)
    const order = await decode<Partial<AttemptOrder>>(scheduled?.input)
    // Other activities call nothing.
    if (order?.request) {
      const activityId = scheduled?.activityId ?? ''
      calls.set(String(event.eventId), { activityId, order: order as AttemptOrder, atMs })
    } else if (signal?.signalName === lateSignal)
      addLate(calls.values(), atMs, await decode<LateAnswer>(signal.input))
    else await addEnd(calls, event, atMs, decode)
  }
  if (!start) throw noStart(runId)
  return { start, calls: [...calls.values()] }
}

/** Of a create whose activity had timed out after it had announced its request, the worker sends the result later. */
function addLate(calls: Iterable<HistoryCall>, atMs: number, late: LateAnswer | undefined): void {
  for (const call of calls) {
    const { request, safety, handover } = call.order
    const isIt = late?.path === request.path && late.attempt === request.attempt && late.handover === handover
    if (!isIt || safety !== 'create' || !call.end?.wasSent) continue
    const isUnsent = late.refusal !== undefined && isGivenUp(late.refusal)
    call.end = { atMs, ...(isUnsent ? { wasSent: false } : late) }
  }
}

async function addEnd(
  calls: ReadonlyMap<string, HistoryCall>,
  event: HistoryEvent,
  atMs: number,
  decode: Decode,
): Promise<void> {
  const completed = event.activityTaskCompletedEventAttributes
  const failed = event.activityTaskFailedEventAttributes
  const lost = event.activityTaskTimedOutEventAttributes
  const cancelled = event.activityTaskCanceledEventAttributes
  const call = calls.get(String((completed ?? failed ?? lost ?? cancelled)?.scheduledEventId))
  if (!call) return
  if (completed) {
    const answer = await decode<AttemptAnswer>(completed.result)
    call.end = { atMs, ...(answer === undefined ? {} : { answer }) }
  } else if (cancelled) call.end = { atMs, wasSent: false }
  else if (lost) {
    const heartbeat = lost.failure?.timeoutFailureInfo?.lastHeartbeatDetails
    const isAnnounced = isAnnouncement(await decode(heartbeat))
    call.end = { atMs, wasSent: isAnnounced || call.order.safety !== 'create' }
  } else {
    const info = failed?.failure?.applicationFailureInfo
    const details = await decode<Partial<AttemptRefusal> & { mayHaveExecuted?: boolean }>(info?.details)
    const wasSent =
      info?.type === givenUp ? details?.mayHaveExecuted === true : !unsent.includes(info?.type ?? '')
    call.end = { atMs, ...(details?.error ? { refusal: details as AttemptRefusal } : { wasSent }) }
  }
}

/** Types of the failures where no worker has the action, or the attempt has only waited. */
const unsent: readonly string[] = ['NotFoundError', waitedTooLong]
