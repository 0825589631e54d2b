import type { Agents } from './agents.ts'
import type { AnswerContext, AnswerHead, BodyUse } from './answer-head.ts'
import { type Exchange, fail, handlerOf, watch } from './exchange.ts'
import type { Place } from './place.ts'

/** One request, ready to go. */
export interface WireRequest {
  readonly origin: string
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'
  /** With the query: never to be shown. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  /** Over which of the connections. */
  readonly connection: 'kept' | 'fresh' | 'streaming'
  /** For connecting, sending and reading to the last byte. */
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
  /** Plays no part once the request goes out. */
  readonly signalBeforeSending: AbortSignal | undefined
  /** Judges the answer before its body is read; throws for one that is not worth reading. */
  readonly judge: (head: AnswerHead) => BodyUse
  readonly context: Pick<AnswerContext, 'scrub' | 'maxAnswerBytes'>
  /** Told when the request goes out, and when the service has answered. */
  readonly place: Pick<Place, 'sent' | 'answered'>
}

export type WireAnswer =
  | { readonly kind: 'body'; readonly head: AnswerHead; readonly body: Buffer }
  | { readonly kind: 'stream'; readonly head: AnswerHead; readonly chunks: AsyncIterable<Uint8Array> }

/** Sends one request, once, and follows no redirect. Rejects with a `RunbookError` that says whether it went out. */
export function send(agents: Agents, request: WireRequest): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    const exchange: Exchange = {
      request,
      resolve,
      reject,
      chunks: [],
      unwatch: [],
      size: 0,
      isSent: false,
      isOver: false,
    }
    watch(exchange)
    if (exchange.isOver) return
    const { origin, method, path, headers, body, connection } = request
    // The deadline of the exchange covers every phase; undici's own timeouts would only duplicate it.
    const options = {
      origin,
      path,
      method,
      headers,
      headersTimeout: 0,
      bodyTimeout: 0,
      ...(body === undefined ? {} : { body }),
    } as const
    try {
      agents[connection].dispatch(options, handlerOf(exchange))
    } catch (error) {
      fail(exchange, error)
    }
  })
}
