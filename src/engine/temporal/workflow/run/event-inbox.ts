import { condition, proxyLocalActivities, scheduleActivity, workflowInfo } from '@temporalio/workflow'
import type { CallbackAddresses } from '../../../../core/hooks/index.ts'
import { callbackNames, listenedHooks } from '../../../../core/hooks/index.ts'
import { type EventInbox, eventOutput, type KeptEvent, type Listening } from '../../../../core/host/index.ts'
import type { WaitingAttempt } from '../../../../core/record/index.ts'
import type { ContinuedInbox } from '../../continued-state.ts'
import type { AttemptAnswer, RunStart } from '../../messages.ts'
import {
  type CallbacksOrder,
  callbacksActivity,
  eventSignal,
  type ListenOrder,
  listenActivity,
  listeningSignal,
  type SentEvent,
} from '../../received-events/listening.ts'
import type { TakenOrder } from '../../worker/listen-activities.ts'
import { onSignal } from '../handlers.ts'
import { waitUntilTimer } from '../timers.ts'
import type { Drain } from './drain.ts'

/** The events that the event store sends to a run, from its start to its end. */
export interface RunInbox extends EventInbox {
  /** The steps that wait for an event. */
  waiting(): readonly WaitingAttempt[]
  /**
   * The addresses of the callbacks of the run, which are made once. Undefined: it has none. Rejects with an
   * `ActivityFailure` where they cannot be made.
   */
  callbacks(): Promise<CallbackAddresses | undefined>
  /** Registers the run at the event store. Undefined: no step waits for events. */
  register(): Promise<void> | undefined
  /** The event store sends no more events. */
  leave(): Promise<void> | undefined
  /** For the continued state. */
  carry(): { readonly inbox?: ContinuedInbox }
}

/** What keeping events needs. */
export interface InboxOptions {
  readonly start: RunStart
  readonly continued: ContinuedInbox | undefined
  readonly drain: () => Drain
}

/** How many events a run keeps that no step has taken. */
const mostEvents = 500
/** In characters as JSON, of all of them. */
const mostCharacters = 262_144
/** How many ids of events that were taken are kept. */
const mostTaken = 2000
/** A step does not wait longer than this for an event store that does not answer. */
const mostAnswerMs = 30_000

export function createInbox({ start, continued, drain }: InboxOptions): RunInbox {
  const { runId, plan, startedFrom } = start
  const hooks = listenedHooks(plan, runId)
  const { taskQueue, startTime } = workflowInfo()
  const sinceMs = continued?.sinceMs ?? startTime.getTime()
  let kept: readonly SentEvent[] = continued?.kept ?? []
  let taken: readonly string[] = continued?.taken ?? []
  let dropped = continued?.dropped ?? 0
  let addresses: CallbackAddresses = continued?.callbacks ?? {}
  let isListening = continued?.isListening ?? false
  let answerByMs = Date.now() + mostAnswerMs
  let received = 0
  const waiting = new Set<Listening>()
  const sinceMsOf = new WeakMap<Listening, number>()
  const seen = new WeakMap<Listening, Set<string>>()

  const receive = (event: SentEvent): void => {
    const isOwn =
      startedFrom?.kind === 'event' && startedFrom.hook === event.hook && startedFrom.event_id === event.id
    if (isOwn || taken.includes(keyOf(event)) || kept.some((one) => keyOf(one) === keyOf(event))) return
    const newest = newestOf([...kept, event])
    dropped += kept.length + 1 - newest.length
    kept = newest
    received++
    try {
      // A run that only waits makes no calls, and the events make its history longer.
      drain().check()
    } catch {
      // It has begun: what waits stops waiting.
    }
  }
  if (hooks.length > 0) {
    onSignal<[SentEvent]>(eventSignal, receive)
    onSignal(listeningSignal, () => {
      isListening = true
    })
  }
  const tell = (order: Pick<ListenOrder, 'hooks'>): Promise<void> | undefined =>
    hooks.length === 0 ? undefined : local[listenActivity]({ runId, sinceMs, taskQueue, ...order })
  return {
    waiting: () => [...waiting].map((one) => asWaiting(one, sinceMsOf.get(one) ?? Date.now())),
    get dropped() {
      return dropped
    },
    async callbacks() {
      const names = callbackNames(plan)
      // A resume with changes can add some.
      const missing = names.filter((name) => !Object.hasOwn(addresses, name))
      if (missing.length > 0)
        addresses = { ...(await local[callbacksActivity]({ runId, names: missing })), ...addresses }
      return names.length === 0 ? undefined : addresses
    },
    register() {
      isListening = false
      answerByMs = Date.now() + mostAnswerMs
      return tell({ hooks })
    },
    leave: () => tell({ hooks: [] }),
    next(listening) {
      const known = seen.get(listening) ?? new Set()
      seen.set(listening, known)
      const event = kept.find((one) => one.hook === listening.hook && !known.has(keyOf(one)))
      if (event) known.add(keyOf(event))
      return event
    },
    async claim(event, request) {
      const { hook, id } = event as KeptEvent & SentEvent
      kept = kept.filter((one) => keyOf(one) !== keyOf({ hook, id }))
      taken = [...taken, keyOf({ hook, id })].slice(-mostTaken)
      const order: TakenOrder = {
        runId,
        executionId: workflowInfo().runId,
        request: { ...request, taken: eventOutput(event) },
        safety: 'read',
        handover: 0,
        reportsWaitsFromMs: 0,
        taken: { hook, id },
        taskQueue,
      }
      await scheduleActivity<AttemptAnswer>(request.action, [order], {
        taskQueue: start.actionQueue,
        startToCloseTimeout: '1 minute',
        summary: `${request.path}: takes ${id}`,
      })
    },
    arriving(cancellation) {
      if (isListening || Date.now() >= answerByMs) return undefined
      return waitUntilTimer(
        answerByMs,
        () => isListening || cancellation.reason !== undefined || drain().isBegun(),
      )
    },
    async more(listening, cancellation) {
      const { endMs } = listening
      if (!sinceMsOf.has(listening)) sinceMsOf.set(listening, Date.now())
      const before = received
      const isSettled = (): boolean =>
        received > before || cancellation.reason !== undefined || drain().isBegun()
      waiting.add(listening)
      if (endMs === Number.POSITIVE_INFINITY) await condition(isSettled)
      else await waitUntilTimer(endMs, isSettled)
      waiting.delete(listening)
    },
    carry: () =>
      hooks.length === 0
        ? {}
        : { inbox: { sinceMs, kept, taken, dropped, isListening, callbacks: addresses } },
  }
}

type Listen = (order: ListenOrder) => Promise<void>
type MakeCallbacks = (order: CallbacksOrder) => Promise<CallbackAddresses>

const local = proxyLocalActivities<{
  readonly [listenActivity]: Listen
  readonly [callbacksActivity]: MakeCallbacks
}>({
  startToCloseTimeout: '10 seconds',
})

function asWaiting({ path, source, endMs }: Listening, sinceMs: number): WaitingAttempt {
  const until = endMs === Number.POSITIVE_INFINITY ? {} : { until: new Date(endMs).toISOString() }
  const since = new Date(sinceMs).toISOString()
  return { path, action: 'core/listen', reason: 'event', message: source, since, ...until }
}

function keyOf({ hook, id }: Pick<SentEvent, 'hook' | 'id'>): string {
  return `${hook}/${id}`
}

/** The newest events that fit. */
function newestOf(events: readonly SentEvent[]): readonly SentEvent[] {
  let length = 0
  return events
    .toReversed()
    .filter((event, place) => {
      length += JSON.stringify(event).length
      return place < mostEvents && length <= mostCharacters
    })
    .toReversed()
}
