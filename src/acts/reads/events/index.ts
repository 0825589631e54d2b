/** Received events and the decisions about them. */
import { type EventRecord, noStartReasons, type RefusedDelivery } from '../../../core/triggers/index.ts'
import type { Events } from '../../../documents/index.ts'
import type { EventFilter, EventStore, TriggerPause } from '../../../engine/index.ts'
import { readDataDir } from '../../../project/configuration/index.ts'
import { withEventStore } from '../../../project/engine/index.ts'
import { CommandError, type EngineFlags, type ProjectContext } from '../../../project/index.ts'
import { printableLine, readMoment, readWord } from '../../../project/text/index.ts'
import { readRefusedDeliveries } from '../../../triggers/server/index.ts'

/** Some events, newest first. */
export interface ListedEvents {
  readonly events: readonly EventRecord[]
  readonly hasMore: boolean
  /** Of all automatic starts. */
  readonly pause: TriggerPause | undefined
}

/** Reads the newest events that match, without their bodies. */
export async function readEventsPage(
  store: EventStore,
  { limit, ...filter }: EventFilter & { readonly limit: number },
): Promise<ListedEvents> {
  // One event more than is shown: its presence means that there are more.
  const found = await store.listEvents({ ...filter, isWithoutBody: true, limit: limit + 1 })
  return {
    events: found.slice(0, limit),
    hasMore: found.length > limit,
    pause: await store.readPause(),
  }
}

/** The document of `events --output json`. */
export function eventsDocument({ events, pause }: ListedEvents): Events {
  return {
    events,
    ...(pause === undefined ? {} : { paused: pause }),
  }
}

/** Finds an event by its id, or by hook and id. */
export async function findEvent(store: EventStore, id: string): Promise<EventRecord> {
  const event = await store.readEvent(id)
  if (event) return event
  throw new CommandError('usage', `there is no event ${printableLine(id)}`, {
    code: 'EventNotFound',
    hints: ['"opsbook events" lists the recorded events'],
  })
}

/** The refused deliveries to a hook, or to all, that came at this time or later, the newest first. */
export async function newestRefused(
  { hook, fromMs = 0, limit }: { readonly hook?: string; readonly fromMs?: number; readonly limit: number },
  context: ProjectContext,
  flags: EngineFlags,
): Promise<readonly RefusedDelivery[]> {
  return readRefusedDeliveries(await readDataDir(flags, context.io))
    .filter((one) => (hook === undefined || one.hook === hook) && Date.parse(one.last_at) >= fromMs)
    .toReversed()
    .slice(0, limit)
}

/** The filters of a list of events, in the words of `opsbook events`. */
export interface EventsQuery {
  readonly hook?: string
  readonly runbook?: string
  readonly because?: string
  readonly started?: boolean
  readonly since?: string
  readonly limit: number
}

/** The filter that these words describe. `sinceFlag`: how messages name that one. */
export function readEventFilter(
  { hook, runbook, because, since, started, limit }: EventsQuery,
  sinceFlag?: string,
): EventFilter & { readonly limit: number } {
  return {
    limit,
    ...(hook === undefined ? {} : { hook }),
    ...(runbook === undefined ? {} : { runbook }),
    ...(because === undefined ? {} : { because: readWord(because, noStartReasons, 'there is no reason') }),
    ...(started === true ? { isStart: true } : {}),
    ...(since === undefined ? {} : { receivedFromMs: readMoment(since, Date.now(), sinceFlag) }),
  }
}

/** The document of `events --output json`, of the events that the words select. */
export function readEventsDocument(
  query: EventsQuery,
  context: ProjectContext,
  flags: EngineFlags,
): Promise<Events> {
  const filter = readEventFilter(query, 'since')
  return withEventStore(
    context,
    flags,
    async (store) => eventsDocument(await readEventsPage(store, filter)),
    () => ({ events: [] }),
  )
}
