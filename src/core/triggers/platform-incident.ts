import { type Field, listOf, mapOf, textType, type ValueType } from '../expressions/index.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import { recordedTime } from '../times/calendar.ts'

const maps = listOf(mapOf({}, true))

function optional(type: ValueType): Field {
  return { type, isOptional: true, because: 'the platform can leave it out' }
}

/**
 * What triggers see of the platform's webhook of incidents, and of the button on an incident: the fields of all senders
 * first, so that one trigger fits them all.
 */
export const platformIncidentType: ValueType = mapOf({
  /** `i_new`, … `i_rslv`; `i_custom` for the button. */
  type: { type: textType },
  sent_at: optional(textType),
  /** Who has pressed the button, or changed the incident. */
  person: optional(mapOf({}, true)),
  incident: {
    type: mapOf({
      id: { type: textType },
      title: optional(textType),
      severity: optional(textType),
      status: optional(textType),
      started_at: optional(textType),
      labels: { type: { ...mapOf({ host: optional(textType) }, true), items: textType } },
      number: optional(textType),
      url: optional(textType),
      channel_id: optional(textType),
      responders: optional(maps),
      alerts: optional(maps),
    }),
  },
})

/** The event of a body that the platform sends, or why it is none. */
export function readPlatformIncident(
  body: JsonValue,
): { readonly id: string; readonly event: JsonObject } | { readonly refusal: string } {
  const sent = isJsonObject(body) ? body : {}
  const { incident } = sent
  if (!isJsonObject(incident)) return { refusal: 'the body has no incident' }
  // The button has it inside of the incident.
  const id = textOf(sent['event_id']) ?? textOf(incident['event_id'])
  if (id === undefined) return { refusal: 'the body has no event_id' }
  const incidentId = textOf(incident['incident_id'])
  if (incidentId === undefined) return { refusal: 'the incident has no incident_id' }
  const event = {
    type: textOf(sent['event_type']) ?? 'i_custom',
    sent_at: timeOf(sent['event_time'], 1),
    person: objectOf(sent['person']),
    incident: given({
      id: incidentId,
      title: textOf(incident['title']),
      severity: textOf(incident['incident_severity']),
      status: textOf(incident['progress'])?.toLowerCase(),
      started_at: timeOf(incident['start_time'], 1000),
      labels: labelsOf(incident['labels']),
      number: textOf(incident['num']),
      url: textOf(incident['detail_url']),
      channel_id: textOf(incident['channel_id']),
      responders: mapsOf(incident['responders']),
      alerts: mapsOf(incident['alerts']),
    }),
  }
  return { id, event: given(event) }
}

/** The host of an alert is its `host`, or the resource that it is about. */
function labelsOf(labels: JsonValue | undefined): JsonObject {
  const texts = Object.entries(objectOf(labels) ?? {}).flatMap(([name, value]) => {
    const label = textOf(value)
    return label === undefined ? [] : [[name, label] as const]
  })
  const found = Object.fromEntries(texts)
  const { host = found['resource'] } = found
  return given({ ...found, host })
}

function given(fields: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const present = Object.entries(fields).filter(
    (pair): pair is [string, JsonValue] => (pair[1] ?? null) !== null,
  )
  return Object.fromEntries(present)
}

/** Ids and labels can be numbers, too. */
function textOf(value: JsonValue | undefined): string | undefined {
  const isText = (typeof value === 'string' && value !== '') || typeof value === 'number'
  return isText ? String(value) : undefined
}

/** 253402300799 s is the end of the year 9999. */
const mostMs = 253_402_300_799_999

function timeOf(value: JsonValue | undefined, unitMs: number): string | undefined {
  if (typeof value !== 'number' || value <= 0 || value * unitMs > mostMs) return undefined
  return recordedTime(Math.floor(value * unitMs))
}

function objectOf(value: JsonValue | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined
}

function mapsOf(value: JsonValue | undefined): JsonObject[] | undefined {
  return Array.isArray(value) ? value.filter(isJsonObject) : undefined
}
