import PQueue from 'p-queue'
import type { Runtime } from '../call.ts'
import type { JsonObject } from '../json.ts'
import { type DeliveryResult, deliver, deliverAgain } from '../webhook.ts'
import type { ControlAnswer, Endpoint } from './endpoint.ts'

/** What is said of an incident; the rest is made up. */
interface IncidentNews {
  readonly event_id?: string
  readonly id?: string
  readonly title?: string
  readonly severity?: string
  readonly status?: 'triggered' | 'processing' | 'closed'
  readonly labels?: JsonObject
  /** What the button on the incident sends. */
  readonly button?: boolean
}

const text = { type: 'string', minLength: 1 }

/** What the platform calls each state, and the event that comes with it. */
const states = {
  triggered: { progress: 'Triggered', event_type: 'i_new' },
  processing: { progress: 'Processing', event_type: 'i_ack' },
  closed: { progress: 'Closed', event_type: 'i_rslv' },
} as const

/** The properties of the JSON Schema of `IncidentNews`. */
const incidentNewsSchema: JsonObject = {
  event_id: text,
  id: text,
  title: text,
  severity: text,
  status: { enum: Object.keys(states) },
  labels: { type: 'object' },
  button: { type: 'boolean' },
}

/** The bodies of one incident in their order: each has its own id, and continues from the one before. */
function makeIncidentEvents(news: readonly IncidentNews[], { world, clock }: Runtime): readonly JsonObject[] {
  const nowMs = Math.floor(clock.now())
  let known: Omit<IncidentNews, 'event_id' | 'button'> = {}
  return news.map(({ event_id = world.nextId('event'), button = false, ...given }) => {
    known = { id: known.id ?? given.id ?? world.nextId('incident'), ...known, ...given }
    const { status = 'triggered', severity = 'Critical', title = 'Checkout is slow', id = '' } = known
    const { progress, event_type } = states[status]
    const labels = known.labels ?? { service: 'checkout', resource: 'web-01' }
    const incident = {
      incident_id: id,
      num: id.slice(-6).toUpperCase(),
      title,
      incident_severity: severity,
      incident_status: status === 'closed' ? 'Ok' : severity,
      progress,
      start_time: Math.floor(nowMs / 1000),
      labels,
      channel_id: 1,
      responders: [],
      detail_url: `https://platform.example.com/incident/${id}`,
    }
    const common = { event_type: button ? 'i_custom' : event_type, event_time: nowMs }
    if (!button) return { event_id, ...common, incident }
    // In the body of the button, the id of the event is in the incident.
    const alerts = [{ alert_id: `alert_${id}`, title, alert_severity: severity, labels }]
    return {
      ...common,
      person: { person_id: 1, person_name: 'Ada' },
      incident: { event_id, ...incident, alerts },
    }
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
  /** Attacks without the token: with another one, or with none. */
  readonly forged?: 'token' | 'missing'
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
    summary: 'sends events of an incident to the webhook URL and answers what came of each delivery',
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
        forged: { enum: ['token', 'missing'] },
        retries: { type: 'integer', minimum: 0, maximum: 20 },
        retry_delay_ms: { type: 'integer', minimum: 0, maximum: 60_000 },
      },
    },
    run: ({ body }, runtime) => sendIncident(body as IncidentRequest, runtime),
  },
]

async function sendIncident(request: IncidentRequest, runtime: Runtime): Promise<ControlAnswer> {
  const { updates = [], reordered = false, duplicates = 0, at_once = 1, ...rest } = request
  const { forged, retries, retry_delay_ms, ...incident } = rest
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
async function send(event: JsonObject, url: string, manner: Manner, runtime: Runtime): Promise<JsonObject> {
  const { forged, retries = 4, retry_delay_ms = 250 } = manner
  const { webhookToken } = runtime
  const token = forged === 'token' ? `not ${webhookToken}` : webhookToken
  const sender = forged === 'missing' ? {} : { token }
  const attempt = (): Promise<DeliveryResult> =>
    deliver({ url, body: JSON.stringify(event), ...sender }, runtime.closing)
  const results = await deliverAgain(attempt, { retries, delayMs: retry_delay_ms }, runtime.closing)
  const attempts = results.map((result) =>
    'error' in result ? { error: result.error } : { status: result.status },
  )
  return { event, ...results.at(-1), attempts } as JsonObject
}
