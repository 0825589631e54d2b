import type { TimedRunEvent } from '../core/events.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts'
import type { Masking } from '../core/mask/index.ts'
import type { ErrorData } from '../core/run-error.ts'
import type { ItemNames } from '../view/run/index.ts'
import type { ErrorDocument, OfItem } from './facts.ts'
import type { JournalEvent } from './journal.ts'

/** The fields of documents and events that hold errors. */
type Holder = 'error' | 'caught' | 'warnings'
const holders: ReadonlySet<string> = new Set<Holder>(['error', 'caught', 'warnings'])

/** Lists whose members have paths and hold errors. */
const namesOfLists = [
  'steps',
  'attempts',
  'waits',
  'questions',
  'decisions',
  'artifacts',
  'waiting_attempts',
  'unknown_outcomes',
] as const
const listsOfHolders: ReadonlySet<string> = new Set(namesOfLists)

/** What programs see of a record: its errors are documents, and what belongs to a loop item names it. */
export type Public<T> = {
  [K in keyof T]: K extends Holder
    ? PublicError<T[K]>
    : K extends (typeof namesOfLists)[number]
      ? T[K] extends readonly (infer Member)[] | undefined
        ? readonly (Public<Member> & OfItem)[]
        : T[K]
      : T[K]
}
type PublicError<E> = E extends readonly unknown[]
  ? readonly ErrorDocument[]
  : E extends ErrorData
    ? ErrorDocument
    : E

const names: Readonly<Record<string, string>> = {
  requestId: 'request_id',
  retryAfterMs: 'retry_after_ms',
  notSent: 'not_sent',
  mayHaveExecuted: 'may_have_executed',
}

/** Fields of errors that only engines read. */
const internal: ReadonlySet<string> = new Set(['isSettled'])

/** A document or event for programs: errors have snake_case fields, and loop items have names. */
export function publicJson<T extends object>(document: T, items?: ItemNames): Public<T> & OfItem {
  return publicObject(document, items) as Public<T> & OfItem
}

/** The same document without what a mask hides. */
export function maskDocument<T extends object>(mask: Pick<Masking, 'value'>, document: T): T {
  return mask.value(document as JsonObject) as T
}

/** An event for programs, without its list of sensitive values. */
export function publicEvent(event: TimedRunEvent, items: ItemNames): Omit<JournalEvent, 'seq'> {
  const { sensitive: _, ...shown } = event as TimedRunEvent & { readonly sensitive?: unknown }
  return publicObject(shown, items) as Omit<JournalEvent, 'seq'> & JsonObject
}

function publicObject(document: object, items?: ItemNames): JsonObject {
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

function publicList(value: JsonValue, items?: ItemNames): JsonValue {
  return Array.isArray(value)
    ? value.map((item) => (isJsonObject(item) ? publicObject(item, items) : item))
    : value
}
function publicError(value: JsonValue, items?: ItemNames): JsonValue {
  if (Array.isArray(value)) return value.map((error) => publicError(error, items))
  if (!isJsonObject(value)) return value
  return {
    ...Object.fromEntries(
      Object.entries(value).flatMap(([key, item]) =>
        internal.has(key) ? [] : [[names[key] ?? key, key === 'cause' ? publicError(item, items) : item]],
      ),
    ),
    ...itemFacts(value, items),
  }
}

/** The loop item of a path. An entry that a resume has set aside belongs to the item of that time. */
function itemFacts({ path, is_set_aside, started_at, asked_at }: JsonObject, items?: ItemNames): JsonObject {
  if (typeof path !== 'string') return {}
  const at = is_set_aside ? (started_at ?? asked_at) : undefined
  return { ...items?.facts(path, typeof at === 'string' ? Date.parse(at) : undefined) }
}
