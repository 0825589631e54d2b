import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import { parseJson } from '../../api/parse-json.ts'
import { render } from '../../core/expressions/render.ts'
import type { JsonValue } from '../../core/json.ts'
import { RunbookError } from '../../core/run-error.ts'
import type { IncomingEvent } from '../../core/triggers/offer.ts'
import type { Hook } from './hook.ts'
import { isDeeper } from './is-deeper.ts'

/** Why a delivery is refused for good: its sender need not come again with the same. */
export interface RefusedDelivery {
  readonly refusal: string
}

const mostLevels = 100
const mostIdCharacters = 256

/** The event that a delivery is. */
export function readDelivery(
  hook: Hook,
  headers: IncomingHttpHeaders,
  body: Buffer,
  receivedAtMs: number,
): { readonly event: IncomingEvent } | RefusedDelivery {
  const parsed = parseBody(body)
  if ('refusal' in parsed) return parsed
  return mapBody(hook, headers['webhook-id'], parsed.value, receivedAtMs)
}

/** The event that a hook makes of a body. */
export function mapBody(
  hook: Hook,
  headerId: string | readonly string[] | undefined,
  body: JsonValue,
  receivedAtMs: number,
): { readonly event: IncomingEvent } | RefusedDelivery {
  try {
    const id = hook.id === undefined ? headerId : render(hook.id, { body })
    const text = typeof id === 'number' ? String(id) : id
    if (typeof text !== 'string' || text === '')
      return {
        refusal:
          hook.id === undefined ? 'the header webhook-id is missing' : 'the id of the event is no text',
      }
    if (text.length > mostIdCharacters || /\p{Cc}/u.test(text))
      return { refusal: `the id of the event is no text of at most ${mostIdCharacters} printable characters` }
    const mapped = hook.map === undefined ? body : render(hook.map, { body })
    return { event: { hook: hook.name, id: text, type: hook.event, receivedAtMs, body: mapped } }
  } catch (error) {
    if (!RunbookError.is(error)) throw error
    return { refusal: `the hook cannot make an event of it: ${error.message}` }
  }
}

function parseBody(body: Buffer): { readonly value: JsonValue } | RefusedDelivery {
  if (!isUtf8(body)) return { refusal: 'the body is not UTF-8' }
  // Before it is parsed: what is nested deep enough ends other programs.
  if (isDeeper(body, mostLevels)) return { refusal: `the body is nested deeper than ${mostLevels} levels` }
  try {
    return { value: parseJson(body.toString('utf8')).value }
  } catch {
    return { refusal: 'the body is not JSON' }
  }
}
