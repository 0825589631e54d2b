/** What several documents hold. */

import type { Identity, Warning } from '../core/events.ts'
import type { JsonValue } from '../core/json.ts'
import type { PlaceInLine, TriggerSource } from '../core/record/index.ts'
import type { ErrorData } from '../core/run-error.ts'
import {
  anything,
  arrayOf,
  flag,
  itself,
  type Members,
  number,
  objectOf,
  oneWord,
  partly,
  type Schema,
  text,
  time,
  wholeNumber,
  yes,
} from './describe.ts'

export const identitySchema: Schema<Identity> = objectOf<Identity>(
  {
    name: text,
    source: oneWord('system-user', 'console', 'token', 'agent', 'flag', 'server', 'timeout'),
    'verified?': yes,
    'id?': text,
    'user?': text,
  },
  'Who did something, and how that is known.',
)

/** What names the loop item that something belongs to. */
export interface OfItem {
  readonly index?: number
  readonly item?: string
}
export const ofItem: Members<OfItem> = { 'index?': wholeNumber, 'item?': text }

/** A failure, as programs see {@link ErrorData}. */
export interface ErrorDocument extends OfItem {
  readonly code: ErrorData['code']
  readonly message: string
  readonly path?: string
  readonly request_id?: string
  readonly retry_after_ms?: number
  readonly not_sent?: boolean
  readonly may_have_executed?: true
  readonly cause?: ErrorDocument
  readonly details?: JsonValue
  /** Of a warning about items of a loop or batch: how many failed so, what the batch knows them by, and where. */
  readonly failed_items?: NonNullable<Warning['failed_items']>
}
export const toleratedItemsSchema: Schema<NonNullable<Warning['failed_items']>> = objectOf<
  NonNullable<Warning['failed_items']>
>({ count: wholeNumber, 'name?': text, paths: arrayOf(text) })

export const errorSchema: Schema<ErrorDocument> = objectOf<ErrorDocument>(
  {
    code: partly(text),
    message: text,
    'path?': text,
    'request_id?': text,
    'retry_after_ms?': number,
    'not_sent?': flag,
    'may_have_executed?': yes,
    'cause?': itself('Error'),
    'details?': anything,
    'failed_items?': toleratedItemsSchema,
    ...ofItem,
  },
  'A failure. Branch on its code.',
)

export const placeInLineSchema: Schema<PlaceInLine> = objectOf<PlaceInLine>(
  { key: text, limit: wholeNumber, before: arrayOf(text) },
  'What a queued run waits for.',
)

export const sourceSchema: Schema<TriggerSource> = partly(
  objectOf<{
    kind: TriggerSource['kind']
    trigger: number
    hook?: string
    event_id?: string
    sent_by?: Identity
    schedule?: string
    at?: string
  }>({
    kind: oneWord('event', 'schedule'),
    trigger: wholeNumber,
    'hook?': text,
    'event_id?': text,
    'sent_by?': identitySchema,
    'schedule?': text,
    'at?': time,
  }),
)
