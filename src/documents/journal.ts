import type { Identity } from '../core/events.ts'
import type { JsonValue } from '../core/json.ts'
import { arrayOf, objectOf, partly, type Schema, text, time, wholeNumber } from './describe.ts'

/** An event of a run, as a line of `logs --output ndjson`, with its number: the fields that pages use. */
export interface JournalEvent {
  readonly seq: number
  readonly type: string
  readonly run_id: string
  readonly at: string
  readonly path?: string
  readonly item?: JsonValue
  readonly action?: string
  readonly attempt?: number
  readonly status?: string
  readonly error?: { readonly code: string; readonly message: string }
  readonly is_repeated?: boolean
  readonly from_journal?: boolean
  readonly reason?: string
  /** Unix time in milliseconds, or RFC 3339. */
  readonly until?: number | string
  readonly message?: string
  readonly total?: number
  readonly is_limit?: boolean
  readonly items?: number
  readonly groups?: number
  readonly approved?: boolean
  readonly by?: Identity
  readonly comment?: string
}

/** Some events of a run. */
export interface JournalDocument {
  readonly events: readonly JournalEvent[]
  /** `after` of the next page. Left out: these are the last ones. */
  readonly next?: number
}
export const journalSchema: Schema<JournalDocument> = objectOf<JournalDocument>({
  events: arrayOf(
    partly({
      ...objectOf<Pick<JournalEvent, 'seq' | 'type' | 'run_id' | 'at'>>({
        seq: wholeNumber,
        type: text,
        run_id: text,
        at: time,
      }),
      additionalProperties: true,
    }),
  ),
  'next?': wholeNumber,
})
