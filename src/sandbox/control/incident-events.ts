import type { Runtime } from '../call.ts'
import type { JsonObject } from '../json.ts'

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
export const incidentNewsSchema: JsonObject = {
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

/** The events of one incident as they happened: each has an id of its own, and goes on from the one before. */
export function makeIncidentEvents(
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
