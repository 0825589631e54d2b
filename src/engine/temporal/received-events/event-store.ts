import { WithStartWorkflowOperation, WorkflowIdConflictPolicy } from '@temporalio/client'
import type { Workflow } from '@temporalio/common'
import type { ErrorCode } from '../../../core/errors.ts'
import { RunbookError } from '../../../core/run-error.ts'
import {
  type EventDecision,
  type EventRecord,
  type ReachedStartLimit,
  refuseChangedPause,
  usualKeepKeysMs,
} from '../../../core/triggers/index.ts'
import type { EventFilter, EventStore } from '../../index.ts'
import { systemIdentity } from '../../record/index.ts'
import { atServer, type ClientPorts } from '../client/client-ports.ts'
import { describeOf, ignoreMissing } from '../client/describe-run.ts'
import { readSummary } from '../client/read-summary.ts'
import { messagePrivacy } from '../client/start-options.ts'
import { talkToRun } from '../client/talk-to-run.ts'
import { actionQueueOf, isRefused } from '../connection.ts'
import { pauseAll } from '../schedules/pause-all.ts'
import { eventStoreId } from './listening.ts'
import {
  type EvaluationsAnswer,
  type EvaluationsOrder,
  evaluationsUpdate,
  eventListQuery,
  eventQuery,
  eventStoreType,
  type MissedOrder,
  type MissedTimes,
  missedUpdate,
  type PauseAnswer,
  type PauseOrder,
  pauseUpdate,
  previewQuery,
  triggerPauseQuery,
} from './messages.ts'
import { mostBytes, type OrderedEvaluation, orderOf } from './order-of.ts'

/** What the event store of a task queue needs. */
export interface EventStoreOptions extends ClientPorts {
  /**
   * How long a dedupe key is remembered, in milliseconds.
   * @default {@link usualKeepKeysMs}
   */
  readonly keepKeysMs?: number
  /** Name of the connection of runs whose steps name none; left out: that of the workers. */
  readonly connection?: string
  /** Called with each reached start limit that the notification targets are notified of. */
  readonly onStartLimit?: (startLimit: ReachedStartLimit) => void
}

/** The events of a task queue, and its missed schedule times. */
export interface TemporalEventStore extends EventStore {
  /**
   * Sends a notification of missed times once, also when several processes report them. `schedules` are all of the task
   * queue. Resolves with the times that are new.
   */
  notifyMissed(schedules: readonly MissedTimes[]): Promise<readonly MissedTimes[]>
}

/** Senders wait for the answer. */
const answerMs = 8000
/** Retries when the event store continues as a new execution during a request. */
const mostTries = 20

/** Opens the event store of a task queue: a workflow. Closing it closes the connection of the client. */
export function openEventStore(options: EventStoreOptions): TemporalEventStore {
  const { client, taskQueue, keepKeysMs = usualKeepKeysMs, connection } = options
  const workflowId = eventStoreId(taskQueue)
  const common = {
    keepKeysMs,
    actionQueue: actionQueueOf(taskQueue),
    startedBy: systemIdentity(),
    ...messagePrivacy(),
    ...(connection === undefined ? {} : { connection }),
  }
  const talk = <T>(say: () => Promise<T>): Promise<T> => talkToRun(workflowId, options, say, answerMs)
  const update = <Answer, Order extends object | null>(name: string, order: Order): Promise<Answer> =>
    talk(() =>
      client.workflow.executeUpdateWithStart<Workflow, Answer, [Order]>(name, {
        args: [order],
        startWorkflowOperation: new WithStartWorkflowOperation<Workflow>(eventStoreType, {
          workflowId,
          taskQueue,
          workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
          staticSummary: 'events, and what they start',
        }),
      }),
    )
  const ask = <Answer, Args extends readonly unknown[]>(
    name: string,
    otherwise: Answer,
    ...args: Args
  ): Promise<Answer> =>
    talk(async () => {
      const store = client.workflow.getHandle(workflowId)
      // Where it is missing, nothing has ever come in.
      return (await store.query<Answer, [...Args]>(name, ...args).catch(ignoreMissing)) ?? otherwise
    })
  const take = createEventQueue(async (gathered) => {
    for (let tries = 0; tries < mostTries; tries++) {
      const answer = await update<EvaluationsAnswer, EvaluationsOrder>(evaluationsUpdate, {
        ...gathered,
        ...common,
      })
      if (!('events' in answer)) continue
      for (const startLimit of answer.startLimits ?? []) options.onStartLimit?.(startLimit)
      return answer.events
    }
    throw new RunbookError('NoWorker', 'the event store continues as a new execution, and no worker takes it')
  })
  const ordered = (evaluation: Parameters<EventStore['evaluation']>[0]): Promise<OrderedEvaluation> =>
    talk(() => orderOf(evaluation, options, keepKeysMs))
  return {
    evaluation: async (evaluation) => take(await ordered(evaluation)),
    async previewEvent(evaluation) {
      const { plans, evaluation: order } = await ordered(evaluation)
      const asked = { plans, evaluations: [order], ...common }
      const decided = await ask<readonly EventDecision[] | undefined, [EvaluationsOrder]>(
        previewQuery,
        undefined,
        asked,
      )
      if (decided) return decided
      // There is no event store yet. An update that clears the pause starts one, and changes nothing.
      await update<PauseAnswer, PauseOrder>(pauseUpdate, { pause: null })
      return ask<readonly EventDecision[], [EvaluationsOrder]>(previewQuery, [], asked)
    },
    listEvents: (filter = {}) => ask<readonly EventRecord[], [EventFilter]>(eventListQuery, [], filter),
    readEvent: async (id) => (await ask<EventRecord | null, [string]>(eventQuery, null, id)) ?? undefined,
    async hasEnded(runId) {
      const described = await describeOf(options, runId)
      const status = described && readSummary(described).status
      return status === undefined || status === 'succeeded' || status === 'cancelled'
    },
    readPause: async () => (await ask<PauseAnswer, []>(triggerPauseQuery, null)) ?? undefined,
    async setPause(pause, shown) {
      const order: PauseOrder = { pause: pause ?? null, ...(shown === undefined ? {} : { shown }) }
      const before = (await update<PauseAnswer, PauseOrder>(pauseUpdate, order)) ?? undefined
      refuseChangedPause('automatic starts were', before, shown)
      // Also where they are paused already: an earlier pause may have failed halfway.
      await atServer(options, () => pauseAll(options, pause && (before ?? pause)))
      return before
    },
    notifyMissed: (schedules) =>
      update<readonly MissedTimes[], MissedOrder>(missedUpdate, {
        schedules,
        actionQueue: common.actionQueue,
      }),
    close: () => client.connection.close(),
  }
}

/** In characters as JSON: compressed it is less than a server accepts. A larger event is sent alone. */
const mostLength = 1_000_000
const maxEvaluations = 50

interface Waiting extends OrderedEvaluation {
  readonly length: number
  readonly resolve: (event: EventRecord) => void
  readonly reject: (reason: unknown) => void
}

/** Sends all events that arrive during an update as the next update, since a workflow takes 10 updates at a time. */
export function createEventQueue(
  send: (gathered: Pick<EvaluationsOrder, 'plans' | 'evaluations'>) => Promise<readonly EventRecord[]>,
): (ordered: OrderedEvaluation) => Promise<EventRecord> {
  let waiting: Waiting[] = []
  let isSending = false
  const takeSome = (): readonly Waiting[] => {
    let length = 0
    let bytes = 0
    const fits = waiting.findIndex((one, index) => {
      length += one.length
      bytes += one.bytes
      return index >= maxEvaluations || (index > 0 && (length > mostLength || bytes > mostBytes))
    })
    return waiting.splice(0, fits < 0 ? waiting.length : fits)
  }
  const work = async (): Promise<void> => {
    isSending = true
    while (waiting.length > 0) {
      const some = takeSome()
      try {
        const events = await send({
          plans: Object.assign({}, ...some.map(({ plans }) => plans)),
          evaluations: some.map(({ evaluation }) => evaluation),
        })
        for (const [index, { resolve, reject }] of some.entries()) {
          const event = events[index]
          if (event) resolve(event)
          else reject(new Error('an event was left without an answer'))
        }
      } catch (error) {
        for (const { reject } of some) reject(error)
        if (!isForAll(error)) continue
        for (const { reject } of waiting) reject(error)
        waiting = []
      }
    }
    isSending = false
  }
  return (ordered) =>
    new Promise((resolve, reject) => {
      waiting.push({ ...ordered, length: JSON.stringify(ordered).length, resolve, reject })
      if (!isSending) void work()
    })
}

const unanswered: readonly ErrorCode[] = ['NoWorker', 'CodeCannotReplay', 'BuildIsGone']

/** Without a worker or a server, all waiting events fail. A refusal concerns only the events of its update. */
function isForAll(error: unknown): boolean {
  if (!RunbookError.is(error)) return false
  return unanswered.includes(error.code) || (error.code === 'TemporalUnavailable' && !isRefused(error))
}
