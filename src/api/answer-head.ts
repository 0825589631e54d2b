import { errorRules } from '../core/errors.ts'
import { RunbookError } from '../core/run-error.ts'
import { type AnswerHeaders, headerValue, requestIdHeader, retryAfterMs } from './headers.ts'
import type { KeyMask } from './mask-key.ts'
import type { AnyOperation } from './operations/operation.ts'
import type { Scrubber } from './scrub.ts'

/** Status and headers of an answer, before its body. */
export interface AnswerHead {
  readonly status: number
  readonly headers: AnswerHeaders
}

/** What to do with the body: collect it as an envelope, hand it on as it comes, or collect so many bytes and read no more. */
export type BodyUse = 'collect' | 'stream' | { readonly first: number }

/** What judging an answer needs to know. */
export interface AnswerContext {
  readonly operation: AnyOperation
  readonly scrub: Scrubber
  readonly maxAnswerBytes: number
  /** Keeps the key out of results, too. */
  readonly maskKey: KeyMask
}

/** Judges an answer by its head. Throws for one that is not worth reading: its body may hold the key, and any amount of it. */
export function judgeHead(head: AnswerHead, context: AnswerContext): BodyUse {
  const { status, headers } = head
  if (status >= 300 && status < 400)
    throw answerError('RedirectRefused', redirectMessage(head), head, context)
  const encoding = headerValue(headers, 'content-encoding')
  if (encoding !== undefined && encoding !== '' && encoding.toLowerCase() !== 'identity') {
    throw foreignAnswer(`encoded as ${encoding}, which was not asked for`, head, context)
  }
  const type = contentType(head)
  if (context.operation.answer === 'ndjson' && isNdjson(type)) return 'stream'
  if (type !== '' && !isJson(type)) throw foreignAnswer(`with content type ${type}`, head, context)
  if (Number(headerValue(headers, 'content-length')) > context.maxAnswerBytes) {
    throw answerTooLarge(head, context)
  }
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

/** Something else than the service answered. The body is never quoted: it can hold the address with the key. */
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
