import type { TimedRunEvent } from '../../core/events.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'

/** Where documents and events hold errors. */
const holders: ReadonlySet<string> = new Set(['error', 'caught', 'warnings'])

/** Whose members hold errors. */
const listsOfHolders: ReadonlySet<string> = new Set(['steps', 'attempts', 'decisions'])

const names: Readonly<Record<string, string>> = {
  requestId: 'request_id',
  retryAfterMs: 'retry_after_ms',
  notSent: 'not_sent',
}

/** A document or an event as programs get it: errors have names like everything else in it. */
export function publicJson(document: object): JsonObject {
  return Object.fromEntries(
    Object.entries(document).map(([key, value]: [string, JsonValue]) => {
      if (holders.has(key)) return [key, publicError(value)]
      return [key, listsOfHolders.has(key) ? publicList(value) : value]
    }),
  )
}

/** An event as programs get it: what it says for the sake of hiding it is left out. */
export function publicEvent(event: TimedRunEvent): JsonObject {
  const { sensitive: _, ...shown } = event as TimedRunEvent & { readonly sensitive?: unknown }
  return publicJson(shown)
}

function publicList(value: JsonValue): JsonValue {
  return Array.isArray(value) ? value.map((item) => (isJsonObject(item) ? publicJson(item) : item)) : value
}

function publicError(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(publicError)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [names[key] ?? key, item]))
}
