import type { AnswerHeaders } from '../../api/headers.ts'
import { isJsonObject, type JsonValue } from '../../core/json.ts'
import { readBody } from './read-body.ts'

const longest = 300
const fields: readonly string[] = ['message', 'error', 'detail', 'title', 'description']

/** What a server says about a failure, for people: a message in its JSON, else the JSON, or a text. A page says nothing. */
export function serverMessage(body: Buffer, headers: AnswerHeaders): string | undefined {
  const { value, warnings, isTooDeep } = readBody(body, headers)
  const said = warnings.length > 0 || isTooDeep ? undefined : (messageIn(value) ?? jsonText(value))
  if (said === undefined || said === '' || said.startsWith('<')) return undefined
  return said.length > longest ? `${said.slice(0, longest)}…` : said
}

function messageIn(value: JsonValue): string | undefined {
  if (typeof value === 'string') return value.trim()
  if (!isJsonObject(value)) return undefined
  for (const field of fields) {
    const said = Object.hasOwn(value, field) ? messageIn(value[field] ?? null) : undefined
    if (said) return said
  }
  return undefined
}

function jsonText(value: JsonValue): string | undefined {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : undefined
}
