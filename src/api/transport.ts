import type { Dispatcher } from 'undici'
import { RunbookError } from '../core/run-error.ts'
import type { Agents } from './agents.ts'
import { type AnswerContext, type AnswerHead, answerTooLarge, judgeHead } from './answer-head.ts'
import { type ByteStream, createByteStream } from './byte-stream.ts'
import { cancelled } from './cancelled.ts'
import type { Place } from './place.ts'
import type { Route } from './route.ts'
import { wireFailure } from './wire-errors.ts'

/** One request, ready to go. */
export interface WireRequest {
  readonly origin: string
  readonly route: Pick<Route, 'path' | 'headers' | 'operation'>
  readonly body: string
  /** For connecting, sending and reading to the last byte. */
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
  /** How the answer is judged before its body is read. */
  readonly context: AnswerContext
  /** Told when the request goes out, and when the service has answered. */
  readonly place: Pick<Place, 'sent' | 'answered'>
}

export type WireAnswer =
  | { readonly kind: 'body'; readonly head: AnswerHead; readonly body: Buffer }
  | { readonly kind: 'stream'; readonly head: AnswerHead; readonly chunks: AsyncIterable<Uint8Array> }

/** What happens between sending and the last byte. */
interface Exchange {
  readonly request: WireRequest
  readonly resolve: (answer: WireAnswer) => void
  readonly reject: (error: unknown) => void
  readonly chunks: Buffer[]
  timer?: NodeJS.Timeout
  onAbort?: () => void
  controller?: Dispatcher.DispatchController
  head?: AnswerHead
  stream?: ByteStream
  size: number
  isSent: boolean
  isOver: boolean
}

/** Sends one request, once, and follows no redirect. Rejects with a `RunbookError` that says whether it went out. */
export function send(agents: Agents, request: WireRequest): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    const exchange: Exchange = {
      request,
      resolve,
      reject,
      chunks: [],
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
      fail(exchange, wireFailure(error, situation(exchange)))
    }
  })
}

/** Watches the deadline and the caller's signal. */
function watch(exchange: Exchange): void {
  const { signal, timeoutMs } = exchange.request
  exchange.timer = setTimeout(() => fail(exchange, lateError(exchange)), timeoutMs)
  if (!signal) return
  exchange.onAbort = () => fail(exchange, cancelled(signal, exchange.isSent))
  signal.addEventListener('abort', exchange.onAbort, { once: true })
  if (signal.aborted) exchange.onAbort()
}

function handlerOf(exchange: Exchange): Dispatcher.DispatchHandler {
  const { request } = exchange
  return {
    onRequestStart(controller) {
      exchange.controller = controller
      // Given up while the connection was being made: aborting here keeps the request from being written.
      if (exchange.isOver) controller.abort(new Error('given up'))
      else {
        exchange.isSent = true
        request.place.sent()
      }
    },
    onResponseStart(_controller, status, headers) {
      if (status >= 200 && !exchange.isOver) takeHead(exchange, { status, headers })
    },
    onResponseData(_controller, chunk) {
      if (!exchange.isOver) takeChunk(exchange, chunk)
    },
    onResponseEnd() {
      if (exchange.isOver) return
      end(exchange)
      const { head, stream, chunks } = exchange
      if (stream) stream.end()
      else if (head)
        exchange.resolve({
          kind: 'body',
          head,
          body: chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks),
        })
    },
    onResponseError(_controller, error) {
      fail(exchange, wireFailure(error, situation(exchange)))
    },
  }
}

function takeHead(exchange: Exchange, head: AnswerHead): void {
  exchange.head = head
  exchange.request.place.answered()
  try {
    if (judgeHead(head, exchange.request.context) === 'stream') startStream(exchange, head)
  } catch (error) {
    fail(exchange, error)
  }
}

function startStream(exchange: Exchange, head: AnswerHead): void {
  const { controller } = exchange
  exchange.stream = createByteStream({
    pause: () => controller?.pause(),
    resume: () => controller?.resume(),
    cancel: () => {
      end(exchange)
      controller?.abort(new Error('not wanted any more'))
    },
  })
  exchange.resolve({ kind: 'stream', head, chunks: exchange.stream.chunks })
}

function takeChunk(exchange: Exchange, chunk: Buffer): void {
  const { head, stream, request } = exchange
  const { context } = request
  exchange.size += chunk.length
  if (stream) stream.push(chunk)
  else if (head && exchange.size > context.maxAnswerBytes) fail(exchange, answerTooLarge(head, context))
  else exchange.chunks.push(chunk)
}

function end(exchange: Exchange): void {
  exchange.isOver = true
  clearTimeout(exchange.timer)
  if (exchange.onAbort) exchange.request.signal?.removeEventListener('abort', exchange.onAbort)
}

function fail(exchange: Exchange, error: unknown): void {
  if (exchange.isOver) return
  end(exchange)
  const failure = error instanceof Error ? error : new Error(String(error))
  if (exchange.stream) exchange.stream.fail(failure)
  else exchange.reject(failure)
  exchange.controller?.abort(new Error('given up'))
}

function situation({ request, isSent }: Exchange): Parameters<typeof wireFailure>[1] {
  return { isSent, origin: request.origin, scrub: request.context.scrub }
}

function lateError({ request, isSent, head }: Exchange): RunbookError {
  const what = head ? 'the answer was not complete' : isSent ? 'no answer came' : 'no connection was made'
  const message = `${what} within ${request.timeoutMs} ms (${request.origin})`
  return new RunbookError(isSent ? 'AttemptTimeout' : 'ConnectTimeout', message, { notSent: !isSent })
}
