import { errorRules } from '../../core/errors.ts'
import { RunbookError } from '../../core/run-error.ts'
import type { AnyOperation } from '../operations/operation.ts'
import type { KeyMask, Scrubber } from '../secrets/scrub.ts'

/** Status and headers of an answer, before its body. */
export interface AnswerHead {
  readonly status: number
  readonly headers: AnswerHeaders
}

/** How to read the body: collect it as an envelope, stream it, or collect its first bytes and stop. */
export type BodyUse = 'collect' | 'stream' | { readonly first: number }

/** What judging an answer needs to know. */
export interface AnswerContext {
  readonly operation: AnyOperation
  readonly scrub: Scrubber
  readonly maxAnswerBytes: number
  /** Keeps the key out of results, too. */
  readonly maskKey: KeyMask
}

/**
 * Judges an answer by its head. Throws for one whose body must not be read: it may hold the key, and any
 * amount of data.
 */
export function judgeHead(head: AnswerHead, context: AnswerContext): BodyUse {
  const { status, headers } = head
  if (status >= 300 && status < 400)
    throw answerError('RedirectRefused', redirectMessage(head), head, context)
  const encoding = headerValue(headers, 'content-encoding')
  if (encoding !== undefined && encoding !== '' && encoding.toLowerCase() !== 'identity')
    throw foreignAnswer(`encoded as ${encoding}, which was not asked for`, head, context)
  const type = contentType(head)
  if (context.operation.answer === 'ndjson' && isNdjson(type)) return 'stream'
  if (type !== '' && !isJson(type)) throw foreignAnswer(`with content type ${type}`, head, context)
  if (Number(headerValue(headers, 'content-length')) > context.maxAnswerBytes)
    throw answerTooLarge(head, context)
  return 'collect'
}

/** An error about an answer: with the id of the request, and with the time to wait if the answer names one. */
export function answerError(
  code: string,
  message: string,
  head: AnswerHead,
  { scrub }: Pick<AnswerContext, 'scrub'>,
  more: { readonly requestId?: string | undefined; readonly details?: RunbookError['details'] } = {},
): RunbookError {
  const requestId = more.requestId ?? requestIdHeader(head.headers)
  const waitMs = retryAfterMs(head.headers, Date.now())
  const isKnown = Object.hasOwn(errorRules, code)
  return new RunbookError(isKnown ? code : scrub.text(code), scrub.text(message), {
    ...(requestId ? { requestId: scrub.text(requestId) } : {}),
    ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
    ...(more.details === undefined ? {} : { details: scrub.json(more.details) }),
  })
}

/** An answer that is not from the service. Its body is never quoted: it can hold the address with the key. */
export function foreignAnswer(what: string, head: AnswerHead, context: AnswerContext): RunbookError {
  return answerError('ForeignAnswer', `HTTP ${head.status} ${what}: this is not the service`, head, context, {
    details: { status: head.status, contentType: contentType(head) },
  })
}

export function answerTooLarge(
  head: AnswerHead,
  context: Pick<AnswerContext, 'scrub' | 'maxAnswerBytes'>,
): RunbookError {
  const message = `the answer is larger than ${context.maxAnswerBytes} bytes`
  return answerError('AnswerTooLarge', message, head, context)
}

export function hasContentType(head: AnswerHead): boolean {
  return contentType(head) !== ''
}

function contentType({ headers }: AnswerHead): string {
  return (headerValue(headers, 'content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

function isJson(type: string): boolean {
  return /^(application|text)\/([\w.+-]+\+)?json$/.test(type)
}

function isNdjson(type: string): boolean {
  return /^application\/(x-ndjson|ndjson|x-jsonlines|jsonlines|jsonl)$/.test(type)
}

function redirectMessage({ status, headers }: AnswerHead): string {
  const location = headerValue(headers, 'location')
  // Only the origin: the rest may repeat the key.
  const origin = location && URL.canParse(location) ? ` to ${new URL(location).origin}` : ''
  return `HTTP ${status} redirects${origin}; a redirect is not followed, since it would carry the key along`
}

/** Headers of an answer, names in lower case. */
export type AnswerHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

export function headerValue(headers: AnswerHeaders, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value : value?.[0]
}

/** The service's id of the request: its own header if it is there, else any that ends in `request-id`. */
export function requestIdHeader(headers: AnswerHeaders): string | undefined {
  const own = headerValue(headers, 'service-request-id')
  if (own) return own
  const name = Object.keys(headers).find((name) => name.endsWith('-request-id') && headerValue(headers, name))
  return name === undefined ? undefined : headerValue(headers, name)
}

const dayMs = 86_400_000

/**
 * How long the service asks to wait: `Retry-After` as seconds or as a date, else `X-RateLimit-Reset` as seconds or as
 * a time. Ignores invalid and past times. At most one day, the longest window.
 */
export function retryAfterMs(headers: AnswerHeaders, now: number): number | undefined {
  const after = headerValue(headers, 'retry-after')?.trim()
  const reset = headerValue(headers, 'x-ratelimit-reset')?.trim()
  const waitMs = (after ? waitFor(after, now) : undefined) ?? (reset ? waitUntilReset(reset, now) : undefined)
  return waitMs === undefined ? undefined : Math.min(Math.ceil(waitMs), dayMs)
}

function waitFor(text: string, now: number): number | undefined {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000
  // Dates have letters; without this `Date.parse` would read `-5` as a year.
  const time = /^[A-Za-z]{3}/.test(text) ? Date.parse(text) : Number.NaN
  return ifAhead(time - now)
}

function waitUntilReset(text: string, now: number): number | undefined {
  if (!/^\d+(\.\d+)?$/.test(text)) return undefined
  const value = Number(text)
  if (value > 1e11) return ifAhead(value - now)
  return ifAhead(value > 1e9 ? value * 1000 - now : value * 1000)
}

/** The time from now, if it is in the future: otherwise a clock is wrong or the header is stale. */
function ifAhead(waitMs: number): number | undefined {
  return waitMs > 0 ? waitMs : undefined
}
