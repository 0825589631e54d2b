import { recordedTime } from '../../../../core/times/index.ts'
import {
  type DecidedEvent,
  decideEvent,
  type EventRecord,
  eventSource,
  type MatchedCandidate,
  type ReachedStartLimit,
  type RejectedCandidate,
  rememberedStart,
} from '../../../../core/triggers/index.ts'
import type { RunStart } from '../../messages.ts'
import type { EvaluationOrder, EvaluationsOrder, MatchedOrder } from '../../received-events/messages.ts'
import type { AskLine } from '../concurrency/join-line.ts'
import { type DecidedRun, startDecided } from '../concurrency/start-decided.ts'
import { startNotice } from '../notifications/notifier.ts'
import {
  asAnswered,
  type EventState,
  findKeptEvent,
  memoryOf,
  recordRefusal,
  rememberNotified,
  removeEvent,
  writeEvent,
} from './event-state.ts'

/** One event, and the order that it arrived with. */
export interface TakenEvent {
  readonly evaluation: EvaluationOrder
  readonly order: EvaluationsOrder
  readonly askLine: AskLine
  /** Called with each start limit that a notification is sent of. */
  readonly onStartLimit?: (startLimit: ReachedStartLimit) => void
}

/** A trigger that has matched: the run that it starts. */
type MatchedTaken = MatchedCandidate & Omit<MatchedOrder, 'plan'>

/** The decisions about an event. */
export interface DecidedTaken extends DecidedEvent<MatchedTaken> {
  readonly nowMs: number
}

/** The decisions about an event now. Changes no state and starts no run. */
export function decideTaken(
  ledger: EventState,
  { evaluation, order }: Pick<TakenEvent, 'evaluation' | 'order'>,
): DecidedTaken {
  const candidates = evaluation.candidates.map((candidate): MatchedTaken | RejectedCandidate => {
    if ('because' in candidate) return candidate
    const plan = order.plans[candidate.plan]
    if (!plan) throw new Error(`there is no plan ${candidate.plan} in the order`)
    return { ...candidate, plan }
  })
  const matched = candidates.flatMap((candidate) => ('because' in candidate ? [] : [candidate]))
  const memory = memoryOf(
    ledger,
    (runbook, { key }) => matched.find((one) => one.runbook === runbook && one.line?.key === key)?.running,
  )
  const nowMs = Date.now()
  const decided = decideEvent({ candidates }, memory, {
    nowMs,
    now: recordedTime(nowMs),
    keepKeysMs: order.keepKeysMs,
    createRunId: ({ runId }) => runId,
  })
  return { ...decided, nowMs }
}

/**
 * Records an event, and starts its runs. The same event again gets the same answer. `pending`: the events whose runs are
 * being started.
 */
export async function takeEvent(
  ledger: EventState,
  pending: Map<string, Promise<unknown>>,
  taken: TakenEvent,
): Promise<EventRecord> {
  const { hook, id } = taken.evaluation.event
  const name = JSON.stringify([hook, id])
  // The state shows afterwards whether that start succeeded.
  while (pending.has(name)) await pending.get(name)
  const known = findKeptEvent(ledger, hook, id)
  if (known) {
    const again = { ...known, deliveries: known.deliveries + 1 }
    writeEvent(ledger, again)
    return asAnswered(again)
  }
  const work = begin(ledger, taken)
  const settled = work.then(
    () => undefined,
    () => undefined,
  )
  pending.set(name, settled)
  try {
    return await work
  } finally {
    pending.delete(name)
  }
}

async function begin(ledger: EventState, taken: TakenEvent): Promise<EventRecord> {
  const { event } = taken.evaluation
  const { decisions, starts, startLimits, nowMs } = decideTaken(ledger, taken)
  const notified = startLimits.filter(({ isToTell }) => isToTell)
  for (const startLimit of notified) rememberNotified(ledger, startLimit, nowMs)
  const notifying = notifyStartLimits(notified, taken, nowMs)
  const first: EventRecord = {
    hook: event.hook,
    event_id: event.id,
    type: event.type,
    received_at: recordedTime(event.receivedAtMs),
    deliveries: 1,
    starts: decisions,
    ...(event.body === undefined ? {} : { body: event.body }),
  }
  writeEvent(ledger, { ...first, storedAtMs: nowMs })
  try {
    await Promise.all(
      starts.map(async (start) => {
        const { runId, candidate } = start
        const remembered = {
          ...rememberedStart(start, nowMs),
          untilMs: untilMs(candidate, nowMs, taken.order.keepKeysMs),
        }
        ledger.starts.push(remembered)
        try {
          const refusal = await startDecided(decidedRun(candidate, nowMs, taken), taken.askLine)
          if (refusal) recordRefusal(ledger, runId, refusal)
        } catch (thrown) {
          ledger.starts = ledger.starts.filter((one) => one !== remembered)
          throw thrown
        }
      }),
    )
    await notifying
    return asAnswered(findKeptEvent(ledger, event.hook, event.id) ?? first)
  } catch (thrown) {
    // Runs that were started exist when the sender repeats the event.
    removeEvent(ledger, first)
    throw thrown
  }
}

async function notifyStartLimits(
  startLimits: readonly ReachedStartLimit[],
  { order: { actionQueue }, onStartLimit }: TakenEvent,
  sinceMs: number,
): Promise<void> {
  await Promise.all(
    startLimits.map(async (startLimit) => {
      const { runbook, trigger, message } = startLimit
      onStartLimit?.(startLimit)
      const notice = { kind: 'start_limit_reached', runbook, message, sinceMs } as const
      await startNotice(`opsbook-trigger/${runbook}/${trigger}`, { notice, sensitive: [], actionQueue })
    }),
  )
}

function untilMs(
  { dedupeKey, cooldown, maxStarts }: MatchedCandidate,
  atMs: number,
  keepKeysMs: number,
): number {
  return atMs + Math.max(maxStarts.perMs, cooldown?.forMs ?? 0, dedupeKey === undefined ? 0 : keepKeysMs)
}

function decidedRun(
  { plan, inputs, runId, listed, trigger, line }: MatchedTaken,
  startedAtMs: number,
  { evaluation, order }: TakenEvent,
): DecidedRun {
  const start: RunStart = {
    plan,
    inputs,
    runId,
    startedAtMs,
    startedBy: order.startedBy,
    startedFrom: eventSource(evaluation.event, trigger),
    actionQueue: order.actionQueue,
    ...(line === undefined ? {} : { line }),
    ...(order.hidesMessages ? { hidesMessages: true } : {}),
    ...(order.connection === undefined ? {} : { connection: order.connection }),
  }
  return { start, listed: { ...listed, memo: { ...listed.memo, startedAtMs } } }
}
