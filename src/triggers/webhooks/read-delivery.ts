import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { isDeeper, mostLevels, parseJson } from '../../api/validation/index.ts'
import { render, type Template } from '../../core/expressions/index.ts'
import { isWellFormed, type JsonValue } from '../../core/json.ts'
import { RunbookError } from '../../core/run-error.ts'
import { type IncomingEvent, readPlatformIncident } from '../../core/triggers/index.ts'

/** Why a delivery is refused permanently: a retry cannot succeed. */
export interface PermanentRefusal {
  readonly refusal: string
}

const mostIdCharacters = 256

/** The event of a delivery. */
export function readDelivery(
  hook: Hook,
  headers: IncomingHttpHeaders,
  body: Buffer,
  receivedAtMs: number,
): { readonly event: IncomingEvent } | PermanentRefusal {
  const parsed = parseBody(body)
  if ('refusal' in parsed) return parsed
  return mapBody(hook, idOf(hook, headers, body), parsed.value, receivedAtMs)
}

/**
 * The id of an event whose hook has no `id`. Only a standard signature covers the header. With other proofs, a
 * captured delivery could be sent again under a new id, so the hash of the body is the id.
 */
function idOf(
  { auth }: Hook,
  headers: IncomingHttpHeaders,
  body: Buffer,
): string | readonly string[] | undefined {
  const isSigned = auth === undefined || auth.type === 'standard-webhooks'
  return isSigned ? headers['webhook-id'] : `sha256-${createHash('sha256').update(body).digest('hex')}`
}

/** The event that a hook maps from a body. `givenId` is used where the hook has no `id`. */
export function mapBody(
  hook: Hook,
  givenId: string | readonly string[] | undefined,
  body: JsonValue,
  receivedAtMs: number,
): { readonly event: IncomingEvent } | PermanentRefusal {
  const read = hook.format === undefined ? undefined : readPlatformIncident(body)
  if (read && 'refusal' in read) return read
  try {
    const id = read ? read.id : hook.id === undefined ? givenId : render(hook.id, { body })
    const text = typeof id === 'number' ? String(id) : id
    if (typeof text !== 'string' || text === '')
      return {
        refusal:
          hook.id === undefined ? 'the header webhook-id is missing' : 'the id of the event is no text',
      }
    if (text.length > mostIdCharacters || /\p{Cc}/u.test(text) || !isWellFormed(text))
      return { refusal: `the id of the event is no text of at most ${mostIdCharacters} printable characters` }
    const mapped = read ? read.event : hook.map === undefined ? body : render(hook.map, { body })
    return { event: { hook: hook.name, id: text, type: hook.event, receivedAtMs, body: mapped } }
  } catch (error) {
    if (!RunbookError.is(error)) throw error
    return { refusal: `the hook cannot make an event of it: ${error.message}` }
  }
}

/** The JSON of a body; `what` is how a refusal calls it. */
export function parseBody(body: Buffer, what = 'the body'): { readonly value: JsonValue } | PermanentRefusal {
  if (!isUtf8(body)) return { refusal: `${what} is not UTF-8` }
  // Before parsing: deep nesting can crash a program.
  if (isDeeper(body)) return { refusal: `${what} is nested deeper than ${mostLevels} levels` }
  try {
    return { value: parseJson(body.toString('utf8')).value }
  } catch {
    return { refusal: `${what} is not JSON` }
  }
}

/** An endpoint for events: `POST /hooks/NAME`. */
export interface Hook {
  readonly name: string
  /** The type of the triggers that it can start. */
  readonly event: string
  /** Left out: no authentication. */
  readonly auth?: HookAuth
  /** Sees `body`. Left out: the header `webhook-id`. */
  readonly id?: Template
  /** Whose deliveries it takes, without `id` and `map`. */
  readonly format?: 'incident'
  /** What the sender calls its JSON, besides `application/json`. */
  readonly contentType?: string
  /** What triggers see as `event`, mapped from `body`. Left out: the body. */
  readonly map?: Template
}

/** How senders authenticate. Each of the secrets is valid. */
export type HookAuth =
  | { readonly type: 'standard-webhooks'; readonly secrets: readonly string[] }
  | { readonly type: 'token'; readonly header: string; readonly secrets: readonly string[] }
  | HmacAuth

/** A signature of the body alone: hexadecimal HMAC-SHA256. */
export interface HmacAuth {
  readonly type: 'hmac'
  /** Holds one signature or several, with commas between them. */
  readonly header: string
  /** The prefix of each signature. */
  readonly prefix: string
  readonly secrets: readonly string[]
}
