import type { Runtime } from '../call.ts'
import type { JsonObject } from '../json.ts'
import { deliver } from '../webhook.ts'
import type { Endpoint } from './endpoint.ts'

interface IncidentRequest {
  readonly event_id?: string
  readonly id?: string
  readonly title?: string
  readonly severity?: string
  readonly status?: string
  readonly started_at?: string
  readonly labels?: JsonObject
  /** Unix seconds; another time than now shows what the receiver does with old events. */
  readonly timestamp?: number
}

const text = { type: 'string', minLength: 1 }

/** Sends incident events to whoever wants to start something from them. */
export const incidentEndpoints: readonly Endpoint[] = [
  {
    method: 'POST',
    path: '/incidents',
    summary: 'sends a signed incident event to the webhook URL and answers what happened',
    body: {
      type: 'object',
      additionalProperties: false,
      properties: {
        // The id travels in a header too.
        event_id: { type: 'string', pattern: '^[!-~]+$' },
        id: text,
        title: text,
        severity: text,
        status: text,
        started_at: text,
        labels: { type: 'object' },
        timestamp: { type: 'integer', minimum: 0 },
      },
    },
    run: ({ body }, runtime) => sendIncident(body as IncidentRequest, runtime),
  },
]

async function sendIncident(
  { event_id, timestamp, ...given }: IncidentRequest,
  runtime: Runtime,
): Promise<{ readonly value: JsonObject } | { readonly problem: string }> {
  const url = runtime.settings.webhookUrl
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    return {
      problem: 'there is no webhook URL; start with --webhook URL or set webhook_url in /_sandbox/config',
    }
  }
  const eventId = event_id ?? runtime.world.nextId('event')
  const data: JsonObject = {
    id: runtime.world.nextId('incident'),
    title: 'Checkout is slow',
    severity: 'critical',
    status: 'triggered',
    started_at: new Date(runtime.clock.now()).toISOString(),
    labels: { service: 'checkout', host: 'web-01' },
    ...given,
  }
  // Saved first: an event that went out must not give its id to another one after a restart.
  await runtime.save()
  const event = { event_id: eventId, type: 'incident', data }
  const delivery = {
    url,
    eventId,
    timestamp: timestamp ?? Math.floor(Date.now() / 1000),
    body: JSON.stringify(event),
  }
  const result = await deliver(delivery, runtime.webhookKey, runtime.closing)
  return { value: { event, url, ...result } }
}
