import { condition, proxyLocalActivities, scheduleActivity, workflowInfo } from '@temporalio/workflow'
import type { CallbackAddresses } from '../../../../core/hooks/index.ts'
import { callbackNames, listenedHooks, wantedFields } from '../../../../core/hooks/index.ts'
import {
  type CallRequest,
  type EventInbox,
  eventOutput,
  type KeptEvent,
  type Listening,
} from '../../../../core/host/index.ts'
import type { WaitingAttempt } from '../../../../core/record/index.ts'
import { recordedTime } from '../../../../core/times/index.ts'
import type { ContinuedInbox } from '../../continued-state.ts'
import type { AttemptAnswer, RunExecution, RunStart } from '../../messages.ts'
import {
  type CallbacksOrder,
  callbacksActivity,
  eventsSignal,
  type ListenOrder,
  listenActivity,
  listeningSignal,
  type SentEvent,
} from '../../received-events/listening.ts'
import type { TakenOrder } from '../../worker/listen-activities.ts'
import { onSignal } from '../handlers.ts'
import { waitUntilTimer } from '../timers.ts'
import type { Drain } from './drain.ts'
import { type InboxState, inboxState, keepEvent, markTaken, nextEvent } from './inbox-state.ts'

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

/** A step does not wait longer than this for an event store that does not answer. */
const mostAnswerMs = 30_000

export function createInbox(
  { start, continued }: RunExecution,
  drain: Pick<Drain, 'look' | 'isBegun'>,
): RunInbox {
  const { runId } = start
  const hooks = listenedHooks(start.plan, runId)
  const { taskQueue, startTime } = workflowInfo()
  const state = inboxState(continued.inbox, startTime.getTime())
  let received = 0
  /** The last request that was answered. */
  let answered = 0
  const asking = new WeakSet<Listening>()
  const waiting = new Set<Listening>()
  const sinceMsOf = new WeakMap<Listening, number>()
  const seen = new WeakMap<Listening, Set<string>>()

  if (hooks.length > 0) {
    onSignal<[readonly SentEvent[]]>(eventsSignal, (events) => {
      const kept = events.filter((event) => !isStarter(start, event) && keepEvent(state, event))
      if (kept.length === 0) return
      received++
      // A run that only waits makes no calls, and the events make its history longer.
      drain.look()
    })
    onSignal<[number]>(listeningSignal, (request) => {
      answered = Math.max(answered, request)
    })
  }
  const tell = (order: Pick<ListenOrder, 'hooks' | 'isAgain'>): Promise<void> | undefined => {
    if (hooks.length === 0) return undefined
    const wanted = wantedFields(start.plan, runId, start.inputs)
    return local[listenActivity]({
      runId,
      sinceMs: state.sinceMs,
      taskQueue,
      wanted,
      request: ++state.requests,
      ...order,
    })
  }
  return {
    waiting: () => [...waiting].map((one) => asWaiting(one, sinceMsOf.get(one) ?? Date.now())),
    dropped: () => state.dropped,
    callbacks: () => makeCallbacks(start, state),
    register: () => tell({ hooks }),
    leave: () => tell({ hooks: [] }),
    next: (listening) => nextEvent(state, listening, seen),
    async claim(event, request) {
      markTaken(state, event as KeptEvent & SentEvent)
      await recordTaken(start, request, event as KeptEvent & SentEvent)
    },
    // Events are sent after their senders were answered. So a step whose time is over asks whether one is on its way.
    arriving(listening, cancellation) {
      if (asking.has(listening)) return undefined
      asking.add(listening)
      const told = tell({ hooks, isAgain: true })
      const request = state.requests
      const answerByMs = Date.now() + mostAnswerMs
      const isOver = (): boolean =>
        answered >= request || cancellation.reason !== undefined || drain.isBegun()
      return (told ?? Promise.resolve()).then(() => waitUntilTimer(answerByMs, isOver))
    },
    async more(listening, cancellation) {
      const { endMs } = listening
      if (!sinceMsOf.has(listening)) sinceMsOf.set(listening, Date.now())
      const before = received
      const isSettled = (): boolean =>
        received > before || cancellation.reason !== undefined || drain.isBegun()
      waiting.add(listening)
      if (endMs === Number.POSITIVE_INFINITY) await condition(isSettled)
      else await waitUntilTimer(endMs, isSettled)
      waiting.delete(listening)
    },
    carry: () => (hooks.length === 0 ? {} : { inbox: { ...state } }),
  }
}

/** Makes the addresses that are missing: a resume with changes can add some. */
async function makeCallbacks(
  { runId, plan }: RunStart,
  state: InboxState,
): Promise<CallbackAddresses | undefined> {
  const names = callbackNames(plan)
  const missing = names.filter((name) => !Object.hasOwn(state.callbacks, name))
  if (missing.length > 0)
    state.callbacks = { ...(await local[callbacksActivity]({ runId, names: missing })), ...state.callbacks }
  return names.length === 0 ? undefined : state.callbacks
}

/** Whether the event has started the run. */
function isStarter({ startedFrom }: RunStart, { hook, id }: SentEvent): boolean {
  return startedFrom?.kind === 'event' && startedFrom.hook === hook && startedFrom.event_id === id
}

/** Records the event that a step has taken, as a call that is answered with it. */
async function recordTaken(
  { runId, actionQueue }: RunStart,
  request: CallRequest,
  event: KeptEvent & SentEvent,
): Promise<void> {
  const { hook, id } = event
  const order: TakenOrder = {
    runId,
    executionId: workflowInfo().runId,
    request: { ...request, taken: eventOutput(event) },
    safety: 'read',
    handover: 0,
    reportsWaitsFromMs: 0,
    taken: { hook, id },
    taskQueue: workflowInfo().taskQueue,
  }
  await scheduleActivity<AttemptAnswer>(request.action, [order], {
    taskQueue: actionQueue,
    startToCloseTimeout: '1 minute',
    summary: `${request.path}: takes ${id}`,
  })
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
  const until = endMs === Number.POSITIVE_INFINITY ? {} : { until: recordedTime(endMs) }
  const since = recordedTime(sinceMs)
  return { path, action: 'core/listen', reason: 'event', message: source, since, ...until }
}
