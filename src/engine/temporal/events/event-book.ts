import {
  WithStartWorkflowOperation,
  WorkflowIdConflictPolicy,
  WorkflowNotFoundError,
} from '@temporalio/client'
import type { Workflow } from '@temporalio/common'
import { RunbookError } from '../../../core/run-error.ts'
import type { ReachedStartLimit } from '../../../core/triggers/decide-offer.ts'
import type { EventDecision, EventRecord } from '../../../core/triggers/event-record.ts'
import type { EventBook } from '../../event-book.ts'
import { systemIdentity } from '../../record/system-user.ts'
import { abilitiesOf } from '../client/run-abilities.ts'
import { type ClientPorts, serverError, talkToRun } from '../client/talk-to-run.ts'
import { actionQueueOf } from '../connection.ts'
import { pauseAll } from '../schedules/pause-all.ts'
import {
  type EventListOrder,
  eventBookType,
  eventListQuery,
  eventQuery,
  type MissedOrder,
  type MissedTimes,
  missedUpdate,
  type OffersAnswer,
  type OffersOrder,
  offersUpdate,
  type PauseOrder,
  pauseUpdate,
  previewQuery,
  triggerPauseQuery,
} from './messages.ts'
import { createOfferQueue } from './offer-queue.ts'
import { type OrderedOffer, orderOf } from './order-of.ts'

/** What the events of a task queue are kept with. */
export interface EventBookOptions extends ClientPorts {
  /**
   * How long a dedupe key is remembered, in milliseconds.
   * @default 7 days
   */
  readonly keepKeysMs?: number
  /** Name of the connection of runs whose steps name none; left out: that of the workers. */
  readonly connection?: string
  /** Told of a trigger that has more events than it may start runs, once people are. */
  readonly onStartLimit?: (startLimit: ReachedStartLimit) => void
}

/** The events of a task queue, and what else people are told of there. */
export interface TemporalEventBook extends EventBook {
  /**
   * Has people told of missed times that they were not told of yet, however many processes say the same; names all
   * schedules of the task queue. Resolves with what they are told of.
   */
  tellMissed(schedules: readonly MissedTimes[]): Promise<readonly MissedTimes[]>
}

const weekMs = 604_800_000
/** Senders wait for the answer. */
const answerMs = 8000
/** How often it may go on as another execution in the moment in which it is spoken to. */
const mostTries = 20

/** The events of a task queue, which a workflow keeps. Closes the connection of the client with itself. */
export function openEventBook(options: EventBookOptions): TemporalEventBook {
  const { client, taskQueue, keepKeysMs = weekMs, connection } = options
  const workflowId = `opsbook-events/${taskQueue}`
  const common = {
    keepKeysMs,
    actionQueue: actionQueueOf(taskQueue),
    startedBy: systemIdentity(),
    abilities: abilitiesOf(client),
    ...(connection === undefined ? {} : { connection }),
  }
  const talk = <T>(say: () => Promise<T>): Promise<T> => talkToRun(workflowId, options, say, answerMs)
  const update = <Answer, Order extends object | null>(name: string, order: Order): Promise<Answer> =>
    talk(() =>
      client.workflow.executeUpdateWithStart<Workflow, Answer, [Order]>(name, {
        args: [order],
        startWorkflowOperation: new WithStartWorkflowOperation<Workflow>(eventBookType, {
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
      try {
        return await client.workflow.getHandle(workflowId).query<Answer, [...Args]>(name, ...args)
      } catch (thrown) {
        // Nothing has ever come in.
        if (thrown instanceof WorkflowNotFoundError) return otherwise
        throw thrown
      }
    })
  const gathered = ({ plans, offers }: GatheredOffers): OffersOrder => ({ plans, offers, ...common })
  const queue = createOfferQueue(async (gatheredOffers) => {
    for (let tries = 0; tries < mostTries; tries++) {
      const answer = await update<OffersAnswer, OffersOrder>(offersUpdate, gathered(gatheredOffers))
      if (!('events' in answer)) continue
      for (const startLimit of answer.startLimits ?? []) options.onStartLimit?.(startLimit)
      return answer.events
    }
    throw new RunbookError('NoWorker', 'the events go on in another execution, and it does not begin')
  })
  const ordered = (offer: Parameters<EventBook['offer']>[0]): Promise<OrderedOffer> =>
    talk(() => orderOf(offer, options, keepKeysMs))
  return {
    async offer(offer) {
      return queue.take(await ordered(offer))
    },
    async previewOffer(offer) {
      const { plans, ...order } = await ordered(offer)
      const asked = gathered({ plans, offers: [order.offer] })
      const decided = await ask<readonly EventDecision[] | undefined, [OffersOrder]>(
        previewQuery,
        undefined,
        asked,
      )
      if (decided) return decided
      // Nobody keeps events yet: to allow what is allowed begins that, and changes nothing.
      await update<PauseOrder, PauseOrder>(pauseUpdate, null)
      return ask<readonly EventDecision[], [OffersOrder]>(previewQuery, [], asked)
    },
    listEvents: (filter = {}) => ask<readonly EventRecord[], [EventListOrder]>(eventListQuery, [], filter),
    readEvent: async (id) => (await ask<EventRecord | null, [string]>(eventQuery, null, id)) ?? undefined,
    readPause: async () => (await ask<PauseOrder, []>(triggerPauseQuery, null)) ?? undefined,
    async setPause(pause) {
      const before = await update<PauseOrder, PauseOrder>(pauseUpdate, pause ?? null)
      await pauseAll(options, pause).catch((thrown: unknown) => {
        throw serverError(thrown, options)
      })
      return before ?? undefined
    },
    tellMissed: (schedules) =>
      update<readonly MissedTimes[], MissedOrder>(missedUpdate, {
        schedules,
        actionQueue: common.actionQueue,
      }),
    close: () => client.connection.close(),
  }
}

type GatheredOffers = Pick<OffersOrder, 'plans' | 'offers'>
