import { type AnswerHeaders, headerValue } from '../../api/headers.ts'
import { isDeeper } from '../../api/is-deeper.ts'
import { parseJson } from '../../api/parse-json.ts'
import type { JsonValue } from '../../core/json.ts'

/** What the body of an answer holds, and what is doubtful about it. */
export interface ReadBody {
  readonly value: JsonValue
  readonly warnings: readonly string[]
  /** It says that it is JSON, and nests deeper than is read: the value is its text. */
  readonly isTooDeep?: true
}

/**
 * The body as JSON where it says so, else as a text. What cannot be read is no failure, since what was asked for is done:
 * it comes as it can be held, with a warning.
 */
export function readBody(body: Buffer, headers: AnswerHeaders): ReadBody {
  if (body.length === 0) return { value: null, warnings: [] }
  const encoding = headerValue(headers, 'content-encoding') ?? ''
  if (encoding !== '' && encoding.toLowerCase() !== 'identity')
    return asBase64(body, `encoded as ${encoding}`)
  const type = headerValue(headers, 'content-type') ?? ''
  const text = textOf(body, type)
  if (text === undefined) return asBase64(body, 'no text')
  if (!isJson(type)) return { value: text, warnings: [] }
  // Before it is parsed: what walks the value, such as a mask, has no bottom to reach.
  return isDeeper(body) ? { value: text, warnings: [], isTooDeep: true } : parse(text)
}

/** An answer can hold more such numbers than anybody reads warnings. */
const mostNamed = 20

function isJson(type: string): boolean {
  return /^\s*(application|text)\/([\w.+-]+\+)?json\s*(;|$)/i.test(type)
}

function parse(text: string): ReadBody {
  try {
    const { value, bigNumbers } = parseJson(text)
    const warnings = bigNumbers.slice(0, mostNamed).map((path) => {
      const place = path === '' || path.startsWith('[') ? `body${path}` : `body.${path}`
      return `in the answer, ${place} is beyond 2^53 and is given as text`
    })
    const more = bigNumbers.length - warnings.length
    return { value, warnings: more > 0 ? [...warnings, `so are ${more} more numbers`] : warnings }
  } catch {
    return { value: text, warnings: ['the answer says that it is JSON and is not; body is its text'] }
  }
}

/** The text in the encoding that the type names; undefined where the bytes are none. */
function textOf(body: Buffer, type: string): string | undefined {
  const charset = /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(type)?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(charset, { fatal: true }).decode(body)
  } catch {
    return undefined
  }
}

function asBase64(body: Buffer, what: string): ReadBody {
  return { value: body.toString('base64'), warnings: [`the answer is ${what}; body is its bytes in base64`] }
}
