import {
  type AnswerHead,
  type AnswerHeaders,
  answerError,
  type BodyUse,
  headerValue,
  requestIdHeader,
} from '../../api/http/index.ts'
import type { Scrubber } from '../../api/secrets/index.ts'
import { isDeeper, mostLevels, parseJson } from '../../api/validation/index.ts'
import { type ErrorCode, isRefusalOfService } from '../../core/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import { mostAnswerBytes } from '../../core/record/index.ts'
import type { RunbookError } from '../../core/run-error.ts'
import { exactSize } from '../../core/text/index.ts'
import type { ActionAnswer } from '../action.ts'
import type { ErrorFields } from './connection/http-connection.ts'
import { unpackBody } from './unpack.ts'

/** What an answer is judged with. */
export interface AnswerFacts {
  readonly origin: string
  readonly request: RequestFacts
  /** The statuses that are a success; left out: 200 to 299. */
  readonly ok: readonly number[] | undefined
  /** A success goes to a file. */
  readonly isSaved: boolean
  readonly errors: ErrorFields
  readonly scrub: Scrubber
}

/** What is read of an answer that is no success: enough for what it says. */
const mostErrorBytes = 64 * 1024

/** Refuses a redirect before its body is read: it would carry the headers to another address. */
export function judgeStatus(head: AnswerHead, facts: AnswerFacts): BodyUse {
  const { status, headers } = head
  if (isOk(status, facts)) return facts.isSaved ? 'stream' : { first: mostAnswerBytes + 1 }
  const location = headerValue(headers, 'location')
  // A 304 leads nowhere.
  if (status < 300 || status >= 400 || location === undefined) return { first: mostErrorBytes }
  // Only the origin: the rest may repeat a secret.
  const target = URL.canParse(location) ? ` to ${new URL(location).origin}` : ''
  const message = `HTTP ${status} redirects${target}; a redirect is not followed, since it would carry the headers along (${facts.origin})`
  throw answerError('RedirectRefused', message, head, facts, { details: { ...facts.request, status } })
}

/** The outputs, or the error that the status is. */
export async function readAnswer(
  packed: Buffer,
  packedHead: AnswerHead,
  facts: AnswerFacts,
): Promise<ActionAnswer> {
  const isSuccess = isOk(packedHead.status, facts)
  const tooLarge = (): RunbookError => unkept(`larger than ${exactSize(mostAnswerBytes)}`, packedHead, facts)
  if (isSuccess && packed.length > mostAnswerBytes) throw tooLarge()
  const { body, head } = await unpackBody(packed, packedHead, mostAnswerBytes, !isSuccess)
  const { status } = head
  if (!isSuccess) throw statusError(body.subarray(0, mostErrorBytes), head, facts)
  if (body.length > mostAnswerBytes) throw tooLarge()
  const read = readBody(body, head.headers)
  if (read.isTooDeep) throw unkept(`JSON that is nested deeper than ${mostLevels} levels`, head, facts)
  const output: JsonObject = { status, headers: headersOf(head), body: read.value }
  return { output, warnings: read.warnings.map(facts.scrub.text), ...requestIdOf(head, facts) }
}

/** The id of the request, for those who report it. */
export function requestIdOf(
  { headers }: AnswerHead,
  { scrub }: AnswerFacts,
): Pick<ActionAnswer, 'requestId'> {
  const requestId = requestIdHeader(headers)
  return requestId ? { requestId: scrub.text(requestId) } : {}
}

/** The request was executed, and a run cannot use its answer. */
function unkept(what: string, head: AnswerHead, facts: AnswerFacts): RunbookError {
  const message = `the answer is ${what} (${facts.origin}); write it to a file with save-as`
  return answerError('OutputTooLarge', message, head, facts)
}

function isOk(status: number, { ok }: AnswerFacts): boolean {
  return ok ? ok.includes(status) : status >= 200 && status < 300
}

function headersOf({ headers }: AnswerHead): JsonObject {
  // A cookie can hold commas.
  const joined = (name: string): string => (name === 'set-cookie' ? '\n' : ', ')
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value].flat().join(joined(name))]),
  )
}

function statusError(body: Buffer, head: AnswerHead, facts: AnswerFacts): RunbookError {
  const { status } = head
  const named = (path: string | undefined): JsonValue | undefined =>
    path === undefined ? undefined : valueAt(readBody(body, head.headers).value, path.split('.'))
  const own = named(facts.errors.message)
  const said = typeof own === 'string' && own !== '' ? shortened(own) : serverMessage(body, head.headers)
  const message = `HTTP ${status}${said === undefined ? '' : `: ${said}`} (${facts.origin})`
  const details = answerDetails(facts.request, body, head, facts.scrub)
  return answerError(codeOf(status, named(facts.errors.code)), message, head, facts, { details })
}

function valueAt(from: JsonValue, [name, ...rest]: readonly string[]): JsonValue | undefined {
  if (name === undefined) return from
  return isJsonObject(from) && Object.hasOwn(from, name) ? valueAt(from[name] ?? null, rest) : undefined
}

/** The server may have executed a request that it reports as late or incomplete. */
const doubtful = 408

/** `named`: what the answer calls its refusal. It says more than the status, and proves no more. */
function codeOf(status: number, named: JsonValue | undefined): ErrorCode {
  if (status === 429) return 'RequestTooFrequently'
  if (status < 400 || status >= 500 || status === doubtful) return 'HttpFailed'
  return typeof named === 'string' && isRefusalOfService(named) ? named : 'HttpRefused'
}

const longest = 300
const fields: readonly string[] = ['message', 'error', 'detail', 'title', 'description']

/**
 * The message of a failed answer, for people: a message in its JSON, else the JSON, or a text. An HTML page
 * has none.
 */
function serverMessage(body: Buffer, headers: AnswerHeaders): string | undefined {
  const { value, warnings, isTooDeep } = readBody(body, headers)
  const said = warnings.length > 0 || isTooDeep ? undefined : (messageIn(value) ?? jsonText(value))
  if (said === undefined || said === '' || said.startsWith('<')) return undefined
  return shortened(said)
}

function shortened(said: string): string {
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

/** Which request was answered. The query is left out: some systems want a token there. */
export interface RequestFacts {
  readonly method: string
  readonly path: string
}

/** Characters of the body of a failed answer that its error keeps. */
export const mostKeptBody = 4096
/** Bytes of the body in which secrets are looked for, so that the cut shows no part of one. */
const mostSearched = 64 * 1024
/** Headers that say why a server refused, or when to come back. */
const kept = /^(?:allow|content-type|date|retry-after|server|www-authenticate|(?:x-)?ratelimit.*)$/

/** What a person needs to know of a failed answer: the request, the status, headers of use, and how the body begins. */
function answerDetails(
  { method, path }: RequestFacts,
  body: Buffer,
  head: AnswerHead,
  scrub: Scrubber,
): JsonObject {
  const headers = Object.entries(head.headers).flatMap(([name, value]) =>
    kept.test(name) ? [[name, [value].flat().join(', ')]] : [],
  )
  const text = scrub.json(body.subarray(0, mostSearched).toString())
  const begin = String(text).slice(0, mostKeptBody)
  return {
    method,
    path,
    status: head.status,
    headers: Object.fromEntries(headers),
    ...(body.length === 0 ? {} : { body_bytes: body.length }),
    ...(begin === '' ? {} : { body: begin }),
  }
}

/** The value of a body, with warnings about it. */
export interface ReadBody {
  readonly value: JsonValue
  readonly warnings: readonly string[]
  /** It says that it is JSON, and nests deeper than is read: the value is its text. */
  readonly isTooDeep?: true
}

/**
 * The body as JSON if its type says so, else as a text. An unreadable body is a warning, not a failure: the request
 * was executed.
 */
function readBody(body: Buffer, headers: AnswerHeaders): ReadBody {
  if (body.length === 0) return { value: null, warnings: [] }
  const type = headerValue(headers, 'content-type') ?? ''
  const text = textOf(body, type)
  if (text === undefined)
    return {
      value: body.toString('base64'),
      warnings: ['the answer is no text; body is its bytes in base64'],
    }
  if (!isJson(type)) return { value: text, warnings: [] }
  // Before it is parsed: what walks the value, such as a mask, has no bottom to reach.
  return isDeeper(body) ? { value: text, warnings: [], isTooDeep: true } : parse(text)
}

/** The largest number of warnings about such numbers. */
const mostNamed = 20

function isJson(type: string): boolean {
  return /^\s*(application|text)\/([\w.+-]+[+-])?json(-[\d.]+)?\s*(;|$)/i.test(type)
}

function parse(text: string): ReadBody {
  try {
    const { value, bigNumbers } = parseJson(text)
    const warnings = bigNumbers.slice(0, mostNamed).map((path) => {
      const place = path === '' || path.startsWith('[') ? `body${path}` : `body.${path}`
      return `in the answer, ${place} is beyond 2^53 - 1 and is given as text`
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
