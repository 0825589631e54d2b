import PQueue from 'p-queue'
import type { Runtime } from '../call.ts'
import type { JsonObject } from '../json.ts'
import { type DeliveryResult, deliver, deliverAgain, type Forgery } from '../webhook.ts'
import type { ControlAnswer, Endpoint } from './endpoint.ts'

/** What is said of an incident; the rest is made up. */
export interface IncidentNews {
  readonly event_id?: string
  readonly id?: string
  readonly title?: string
  readonly severity?: string
  readonly status?: string
  readonly started_at?: string
  readonly labels?: JsonObject
}

const text = { type: 'string', minLength: 1 }

/** The properties of the JSON Schema of `IncidentNews`. */
const incidentNewsSchema: JsonObject = {
  // The id travels in a header too.
  event_id: { type: 'string', pattern: '^[!-~]+$' },
  id: text,
  title: text,
  severity: text,
  status: text,
  started_at: text,
  labels: { type: 'object' },
}

/** An event as it is sent. */
export interface IncidentEvent {
  readonly event_id: string
  readonly type: 'incident'
  readonly data: JsonObject
}

/** The events of one incident in their order: each has its own id, and continues from the one before. */
function makeIncidentEvents(
  news: readonly IncidentNews[],
  { world, clock }: Runtime,
): readonly IncidentEvent[] {
  let data: JsonObject | undefined
  return news.map(({ event_id, ...given }) => {
    const eventId = event_id ?? world.nextId('event')
    data ??= {
      id: world.nextId('incident'),
      title: 'Checkout is slow',
      severity: 'Critical',
      status: 'triggered',
      started_at: new Date(clock.now()).toISOString(),
      labels: { service: 'checkout', host: 'web-01' },
    }
    data = { ...data, ...given }
    return { event_id: eventId, type: 'incident', data }
  })
}

interface IncidentRequest extends IncidentNews, Manner {
  /** What becomes of the incident later: an event for each. */
  readonly updates?: readonly IncidentNews[]
}

/** How events are sent. */
interface Manner {
  /** The last one first. */
  readonly reordered?: boolean
  /** Further deliveries of each event. */
  readonly duplicates?: number
  /** Deliveries in flight at a time. */
  readonly at_once?: number
  /** Unix seconds; another time than now shows what the receiver does with old events. */
  readonly timestamp?: number
  /** So long ago they say they were sent. */
  readonly late_ms?: number
  readonly forged?: Forgery
  /** Further attempts after a failure or without an answer. */
  readonly retries?: number
  /** Before the first of them; twice as long before each later one. */
  readonly retry_delay_ms?: number
}

/** Sends incident events to a webhook. */
export const incidentEndpoints: readonly Endpoint[] = [
  {
    method: 'POST',
    path: '/incidents',
    summary: 'sends signed incident events to the webhook URL and answers what came of each delivery',
    body: {
      type: 'object',
      additionalProperties: false,
      properties: {
        ...incidentNewsSchema,
        updates: {
          type: 'array',
          maxItems: 100,
          items: { type: 'object', additionalProperties: false, properties: incidentNewsSchema },
        },
        reordered: { type: 'boolean' },
        duplicates: { type: 'integer', minimum: 0, maximum: 1000 },
        at_once: { type: 'integer', minimum: 1, maximum: 100 },
        timestamp: { type: 'integer', minimum: 0 },
        late_ms: { type: 'integer', minimum: 0 },
        forged: { enum: ['key', 'body', 'unsigned'] },
        retries: { type: 'integer', minimum: 0, maximum: 20 },
        retry_delay_ms: { type: 'integer', minimum: 0, maximum: 60_000 },
      },
    },
    run: ({ body }, runtime) => sendIncident(body as IncidentRequest, runtime),
  },
]

async function sendIncident(request: IncidentRequest, runtime: Runtime): Promise<ControlAnswer> {
  const { updates = [], reordered = false, duplicates = 0, at_once = 1, ...rest } = request
  const { timestamp, late_ms, forged, retries, retry_delay_ms, ...incident } = rest
  const url = runtime.settings.webhookUrl
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    return {
      problem: 'there is no webhook URL; start with --webhook URL or set webhook_url in /_sandbox/config',
    }
  }
  const events = makeIncidentEvents([incident, ...updates], runtime)
  // Saved first: an event that went out must not give its id to another one after a restart.
  await runtime.save()
  const queue = new PQueue({ concurrency: at_once })
  const deliveries = await queue.addAll(
    (reordered ? events.toReversed() : events)
      .flatMap((event) => Array.from({ length: duplicates + 1 }, () => event))
      .map((event) => () => send(event, url, rest, runtime)),
  )
  const [{ attempts: _, ...first } = {}] = deliveries
  return { value: { url, ...first, deliveries } }
}

/** Delivers one event, and says what came of it and of each attempt. */
async function send(
  event: IncidentEvent,
  url: string,
  manner: Manner,
  runtime: Runtime,
): Promise<JsonObject> {
  const { timestamp, late_ms = 0, forged, retries = 4, retry_delay_ms = 250 } = manner
  const attempt = (): Promise<DeliveryResult> => {
    const delivery = {
      url,
      eventId: event.event_id,
      // Each attempt is signed anew.
      timestamp: timestamp ?? Math.floor((Date.now() - late_ms) / 1000),
      body: JSON.stringify(event),
      forged,
    }
    return deliver(delivery, runtime.webhookKey, runtime.closing)
  }
  const results = await deliverAgain(attempt, { retries, delayMs: retry_delay_ms }, runtime.closing)
  const attempts = results.map((result) =>
    'error' in result ? { error: result.error } : { status: result.status },
  )
  return { event: { ...event }, ...results.at(-1), attempts } as JsonObject
}
