import type { TimedRunEvent } from '../../core/events.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import type { ItemNames } from './follow/item-names.ts'

/** Where documents and events hold errors. */
const holders: ReadonlySet<string> = new Set(['error', 'caught', 'warnings'])

/** Lists of what belongs to steps: their members have paths and hold errors. */
const listsOfHolders: ReadonlySet<string> = new Set([
  'steps',
  'attempts',
  'waits',
  'questions',
  'decisions',
  'artifacts',
  'waiting_attempts',
])

const names: Readonly<Record<string, string>> = {
  requestId: 'request_id',
  retryAfterMs: 'retry_after_ms',
  notSent: 'not_sent',
}

/** A document or an event as programs get it: errors have names like everything else in it, and so have items of loops. */
export function publicJson(document: object, items?: ItemNames): JsonObject {
  return {
    ...Object.fromEntries(
      Object.entries(document).map(([key, value]: [string, JsonValue]) => {
        if (holders.has(key)) return [key, publicError(value, items)]
        return [key, listsOfHolders.has(key) ? publicList(value, items) : value]
      }),
    ),
    ...itemFacts(document as JsonObject, items),
  }
}

/** An event as programs get it: what it says for the sake of hiding it is left out. */
export function publicEvent(event: TimedRunEvent, items: ItemNames): JsonObject {
  const { sensitive: _, ...shown } = event as TimedRunEvent & { readonly sensitive?: unknown }
  return publicJson(shown, items)
}

function publicList(value: JsonValue, items?: ItemNames): JsonValue {
  return Array.isArray(value)
    ? value.map((item) => (isJsonObject(item) ? publicJson(item, items) : item))
    : value
}

function publicError(value: JsonValue, items?: ItemNames): JsonValue {
  if (Array.isArray(value)) return value.map((error) => publicError(error, items))
  if (!isJsonObject(value)) return value
  return {
    ...Object.fromEntries(Object.entries(value).map(([key, item]) => [names[key] ?? key, item])),
    ...itemFacts(value, items),
  }
}

/** Of the item that a path leads into. What a resume has set aside belonged to the item of then. */
function itemFacts({ path, is_set_aside, started_at, asked_at }: JsonObject, items?: ItemNames): JsonObject {
  if (typeof path !== 'string') return {}
  const at = is_set_aside ? (started_at ?? asked_at) : undefined
  return { ...items?.facts(path, typeof at === 'string' ? Date.parse(at) : undefined) }
}
