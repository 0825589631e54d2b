import type { AnswerHead } from '../../api/answer-head.ts'
import { headerValue } from '../../api/headers.ts'
import type { Scrubber } from '../../api/scrub.ts'
import type { JsonObject } from '../../core/json.ts'

/** Which request was answered. The query is left out: some systems want a token there. */
export interface RequestFacts {
  readonly method: string
  readonly path: string
}

/** Characters of the body that are kept. */
const mostKept = 4096
/** Bytes of the body in which secrets are looked for, so that the cut shows no part of one. */
const mostSearched = 64 * 1024
/** Headers that say why a server refused, or when to come back. */
const kept = /^(?:allow|content-type|date|retry-after|server|www-authenticate|(?:x-)?ratelimit.*)$/

/** What a person needs to know of a failed answer: the request, the status, headers of use, and how the body begins. */
export function answerDetails(
  { method, path }: RequestFacts,
  body: Buffer,
  head: AnswerHead,
  scrub: Scrubber,
): JsonObject {
  const headers = Object.entries(head.headers).flatMap(([name, value]) =>
    kept.test(name) ? [[name, [value].flat().join(', ')]] : [],
  )
  const encoding = headerValue(head.headers, 'content-encoding') ?? 'identity'
  const isText = encoding.toLowerCase() === 'identity'
  const text = isText ? scrub.json(body.subarray(0, mostSearched).toString()) : ''
  const begin = String(text).slice(0, mostKept)
  return {
    method,
    path,
    status: head.status,
    headers: Object.fromEntries(headers),
    ...(body.length === 0 ? {} : { body_bytes: body.length }),
    ...(begin === '' ? {} : { body: begin }),
  }
}
