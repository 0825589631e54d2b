import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { isDeeper, mostLevels } from '../../api/is-deeper.ts'
import { parseJson } from '../../api/parse-json.ts'
import { render } from '../../core/expressions/render.ts'
import type { JsonValue } from '../../core/json.ts'
import { RunbookError } from '../../core/run-error.ts'
import type { IncomingEvent } from '../../core/triggers/offer.ts'
import { isWellFormed } from '../../core/well-formed.ts'
import type { Hook } from './hook.ts'

/** Why a delivery is refused for good: its sender need not come again with the same. */
export interface RefusedDelivery {
  readonly refusal: string
}

const mostIdCharacters = 256

/** The event that a delivery is, whose body is UTF-8. */
export function readDelivery(
  hook: Hook,
  headers: IncomingHttpHeaders,
  body: Buffer,
  receivedAtMs: number,
): { readonly event: IncomingEvent } | RefusedDelivery {
  const parsed = parseBody(body)
  if ('refusal' in parsed) return parsed
  return mapBody(hook, idOf(hook, headers, body), parsed.value, receivedAtMs)
}

/**
 * What an event is called where its hook has no `id`. The header is covered by a standard signature alone: with any other
 * proof a captured delivery could be sent again under a new id, so the body itself is the id.
 */
function idOf(
  { auth }: Hook,
  headers: IncomingHttpHeaders,
  body: Buffer,
): string | readonly string[] | undefined {
  const isSigned = auth === undefined || auth.type === 'standard-webhooks'
  return isSigned ? headers['webhook-id'] : `sha256-${createHash('sha256').update(body).digest('hex')}`
}

/** The event that a hook makes of a body. `givenId` is its id where the hook makes none. */
export function mapBody(
  hook: Hook,
  givenId: string | readonly string[] | undefined,
  body: JsonValue,
  receivedAtMs: number,
): { readonly event: IncomingEvent } | RefusedDelivery {
  try {
    const id = hook.id === undefined ? givenId : render(hook.id, { body })
    const text = typeof id === 'number' ? String(id) : id
    if (typeof text !== 'string' || text === '')
      return {
        refusal:
          hook.id === undefined ? 'the header webhook-id is missing' : 'the id of the event is no text',
      }
    if (text.length > mostIdCharacters || /\p{Cc}/u.test(text) || !isWellFormed(text))
      return { refusal: `the id of the event is no text of at most ${mostIdCharacters} printable characters` }
    const mapped = hook.map === undefined ? body : render(hook.map, { body })
    return { event: { hook: hook.name, id: text, type: hook.event, receivedAtMs, body: mapped } }
  } catch (error) {
    if (!RunbookError.is(error)) throw error
    return { refusal: `the hook cannot make an event of it: ${error.message}` }
  }
}

function parseBody(body: Buffer): { readonly value: JsonValue } | RefusedDelivery {
  // Before it is parsed: what is nested deep enough ends other programs.
  if (isDeeper(body)) return { refusal: `the body is nested deeper than ${mostLevels} levels` }
  try {
    return { value: parseJson(body.toString('utf8')).value }
  } catch {
    return { refusal: 'the body is not JSON' }
  }
}
