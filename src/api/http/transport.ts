import { setMaxListeners } from 'node:events'
import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { RunbookError } from '../../core/run-error.ts'
import { type Permit, permitOver } from '../pacing/permit.ts'
import { cancelled, timerMs } from '../pacing/waits.ts'
import type { Agents } from './agents.ts'
import {
  type AnswerContext,
  type AnswerHead,
  answerTooLarge,
  type BodyUse,
  requestIdHeader,
} from './answer-head.ts'
import { type WireSituation, wireFailure } from './wire-errors.ts'

/** One request, ready to go. */
export interface WireRequest {
  readonly origin: string
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'
  /** With the query: never to be shown. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer | undefined
  /** Over which of the connections. */
  readonly connection: 'kept' | 'fresh'
  /** For connecting, sending and reading to the last byte. */
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
  /** Has no effect once the request has left. */
  readonly signalBeforeSending: AbortSignal | undefined
  /** Judges the answer before its body is read; throws for one that must not be read. */
  readonly judge: (head: AnswerHead) => BodyUse
  readonly context: Pick<AnswerContext, 'scrub' | 'maxAnswerBytes'>
  /** Called when the request leaves, and when the service has answered. */
  readonly permit: Pick<Permit, 'sent' | 'answered' | 'isOver'>
  /**
   * Called when the connection is open, and awaited before the request leaves. When it rejects, nothing is sent. Its
   * time does not count. `unsent` is aborted where the request did not leave after all, since its permit was over by
   * then. Undefined: the request leaves at once.
   */
  readonly beforeSending: ((unsent: AbortSignal) => Promise<void>) | undefined
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
      startedMs: performance.now(),
      isSent: false,
      isOver: false,
    }
    watch(exchange)
    if (exchange.isOver) return
    const { origin, method, path, connection } = request
    // The deadline of the exchange covers every phase; undici's own timeouts would only duplicate it.
    const options = {
      origin,
      path,
      method,
      headersTimeout: 0,
      bodyTimeout: 0,
      ...contentOf(exchange),
    } as const
    try {
      agents[connection].dispatch(options, handlerOf(exchange))
    } catch (error) {
      fail(exchange, error)
    }
  })
}

/** What happens between sending and the last byte. */
export interface Exchange {
  readonly request: WireRequest
  readonly resolve: (answer: WireAnswer) => void
  readonly reject: (error: unknown) => void
  readonly chunks: Buffer[]
  timer?: NodeJS.Timeout
  /** Stop listening to the caller's signals. */
  readonly unwatch: (() => void)[]
  controller?: Dispatcher.DispatchController
  head?: AnswerHead
  /** The body, where the caller reads it as it comes. */
  stream?: Readable
  /** The socket waits for the reader of the stream. */
  isPaused?: boolean
  /** Why the stream ended early. */
  failure?: RunbookError
  /** How many bytes of the body are read. */
  mostBytes?: number
  size: number
  readonly startedMs: number
  isSent: boolean
  isOver: boolean
}

/** Watches the deadline and the caller's signals. */
function watch(exchange: Exchange): void {
  const { signal, signalBeforeSending, timeoutMs } = exchange.request
  endAfter(exchange, timeoutMs)
  onAbort(exchange, signal, () => fail(exchange, cancelled(signal, exchange.isSent)))
  // A read has one signal for both.
  if (signalBeforeSending !== signal)
    onAbort(exchange, signalBeforeSending, () => {
      if (!exchange.isSent) fail(exchange, cancelled(signalBeforeSending, false))
    })
}

function endAfter(exchange: Exchange, timeMs: number): void {
  exchange.timer = setTimeout(() => fail(exchange, lateError(exchange)), timerMs(timeMs))
}

function onAbort(exchange: Exchange, signal: AbortSignal | undefined, listener: () => void): void {
  if (!signal) return
  // One signal for a hundred calls is no leak, which Node would warn of from the eleventh on.
  setMaxListeners(0, signal)
  signal.addEventListener('abort', listener, { once: true })
  exchange.unwatch.push(() => signal.removeEventListener('abort', listener))
  if (signal.aborted) listener()
}

/** Connects the callbacks of undici to the exchange. */
function handlerOf(exchange: Exchange): Dispatcher.DispatchHandler {
  const { request } = exchange
  return {
    onRequestStart(controller) {
      exchange.controller = controller
      // Aborted while connecting: an abort here keeps the request from being written.
      if (exchange.isOver) controller.abort(new Error('given up'))
      else if (!request.beforeSending) leave(exchange)
    },
    onResponseStart(_controller, status, headers) {
      if (status >= 200 && !exchange.isOver) takeHead(exchange, { status, headers })
    },
    onResponseData(_controller, chunk) {
      // After a pause the parser hands over an empty chunk, which would fill the stream again.
      if (!exchange.isOver && chunk.length > 0) takeChunk(exchange, chunk)
    },
    onResponseEnd() {
      if (exchange.isOver) return
      end(exchange)
      if (exchange.stream) exchange.stream.push(null)
      else resolveBody(exchange)
    },
    onResponseError(_controller, error) {
      fail(exchange, error)
    },
  }
}

/** The request leaves now, or fails since its permit is over. */
function leave(exchange: Exchange): void {
  if (!exchange.request.permit.sent()) fail(exchange, permitOver)
  else exchange.isSent = true
}

type Content = Pick<Dispatcher.DispatchOptions, 'headers' | 'body'>

function contentOf(exchange: Exchange): Content {
  const { headers, body, beforeSending } = exchange.request
  if (!beforeSending) return body === undefined ? { headers } : { headers, body }
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  // Undici takes any iterable; its type does not say so.
  const later = bodyAfter(beforeSending, exchange) as unknown as Readable
  return { headers: { ...headers, ...length }, body: later }
}

/** Undici asks for it when the connection is open. It writes nothing before it has the first part, no header either. */
async function* bodyAfter(
  announce: (unsent: AbortSignal) => Promise<void>,
  exchange: Exchange,
): AsyncGenerator<string | Buffer> {
  const { permit, body, timeoutMs } = exchange.request
  const connectedMs = performance.now()
  const unsent = new AbortController()
  clearTimeout(exchange.timer)
  try {
    // It learns that connections take so long, and the next one is valid for longer.
    if (permit.isOver() && !permit.sent()) throw permitOver
    await announce(unsent.signal)
  } catch (error) {
    end(exchange)
    exchange.reject(error)
    throw error
  }
  if (!exchange.isOver) {
    endAfter(exchange, timeoutMs - (connectedMs - exchange.startedMs))
    leave(exchange)
  }
  if (exchange.isOver) {
    unsent.abort()
    throw new Error('given up')
  }
  if (body !== undefined) yield body
}

function resolveBody({ head, chunks, mostBytes, resolve }: Exchange): void {
  if (!head) return
  const body = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
  resolve({ kind: 'body', head, body: body.subarray(0, mostBytes) })
}

function takeHead(exchange: Exchange, head: AnswerHead): void {
  exchange.head = head
  exchange.request.permit.answered()
  try {
    const use = exchange.request.judge(head)
    if (use === 'stream') startStream(exchange, head)
    else if (use !== 'collect') exchange.mostBytes = use.first
  } catch (error) {
    fail(exchange, error)
  }
}

/** The socket pauses while this many bytes wait for the reader. */
const waitingBytes = 256 * 1024

function startStream(exchange: Exchange, head: AnswerHead): void {
  const { controller } = exchange
  const stream = new Readable({
    highWaterMark: waitingBytes,
    read() {
      if (!exchange.isPaused) return
      exchange.isPaused = false
      controller?.resume()
    },
    destroy(error, callback) {
      if (!exchange.isOver) {
        end(exchange)
        controller?.abort(new Error('not wanted any more'))
      }
      callback(error)
    },
  })
  exchange.stream = stream
  exchange.resolve({ kind: 'stream', head, chunks: chunksOf(stream, exchange) })
}

/** The reader gets every chunk that arrived, then the error. */
async function* chunksOf(stream: Readable, exchange: Exchange): AsyncGenerator<Uint8Array> {
  yield* stream
  if (exchange.failure) throw exchange.failure
}

function takeChunk(exchange: Exchange, chunk: Buffer): void {
  const { head, stream, request, mostBytes } = exchange
  const { context } = request
  exchange.size += chunk.length
  if (stream) {
    if (stream.push(chunk) || exchange.isPaused) return
    exchange.isPaused = true
    exchange.controller?.pause()
  } else if (mostBytes !== undefined) {
    exchange.chunks.push(chunk)
    if (exchange.size < mostBytes) return
    end(exchange)
    resolveBody(exchange)
    exchange.controller?.abort(new Error('enough'))
  } else if (head && exchange.size > context.maxAnswerBytes) fail(exchange, answerTooLarge(head, context))
  else exchange.chunks.push(chunk)
}

function end(exchange: Exchange): void {
  exchange.isOver = true
  clearTimeout(exchange.timer)
  for (const stop of exchange.unwatch) stop()
}

/** Ends the exchange with an error of ours, or with one of the network, which becomes one of ours. */
function fail(exchange: Exchange, error: unknown): void {
  if (exchange.isOver) return
  end(exchange)
  const failure = RunbookError.is(error) ? error : wireFailure(error, situation(exchange))
  exchange.failure = failure
  if (exchange.stream) exchange.stream.push(null)
  else exchange.reject(failure)
  exchange.controller?.abort(new Error('given up'))
}

function situation({ request, isSent, head }: Exchange): WireSituation {
  const { origin, context } = request
  const requestId = head && requestIdHeader(head.headers)
  return { isSent, origin, scrub: context.scrub, requestId: requestId && context.scrub.text(requestId) }
}

function lateError(exchange: Exchange): RunbookError {
  const { request, isSent, head } = exchange
  const { requestId } = situation(exchange)
  const what = head ? 'the answer was not complete' : isSent ? 'no answer came' : 'no connection was made'
  return new RunbookError(
    isSent ? 'AttemptTimeout' : 'ConnectTimeout',
    `${what} within ${request.timeoutMs} ms (${request.origin})`,
    { notSent: !isSent, ...(requestId ? { requestId } : {}) },
  )
}
