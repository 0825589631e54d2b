import type { Agents } from './agents.ts'
import type { AnswerContext, AnswerHead } from './answer-head.ts'
import { type Exchange, fail, handlerOf, watch } from './exchange.ts'
import type { Place } from './place.ts'
import type { Route } from './route.ts'

/** One request, ready to go. */
export interface WireRequest {
  readonly origin: string
  readonly route: Pick<Route, 'path' | 'headers' | 'operation'>
  readonly body: string
  /** For connecting, sending and reading to the last byte. */
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
  /** Plays no part once the request goes out. */
  readonly signalBeforeSending: AbortSignal | undefined
  /** How the answer is judged before its body is read. */
  readonly context: AnswerContext
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
    const { origin, body } = request
    const { path, headers, operation } = request.route
    const dispatcher = operation.safety === 'create' ? agents.fresh : agents.kept
    // The deadline of the exchange covers every phase; undici's own timeouts would only duplicate it.
    const options = {
      origin,
      path,
      method: 'POST',
      headers,
      body,
      headersTimeout: 0,
      bodyTimeout: 0,
    } as const
    try {
      dispatcher.dispatch(options, handlerOf(exchange))
    } catch (error) {
      fail(exchange, error)
    }
  })
}
