import { setMaxListeners } from 'node:events'
import type { Dispatcher } from 'undici'
import { RunbookError } from '../core/run-error.ts'
import { type AnswerHead, answerTooLarge } from './answer-head.ts'
import { type ByteStream, createByteStream } from './byte-stream.ts'
import { cancelled } from './cancelled.ts'
import { requestIdHeader } from './headers.ts'
import type { WireAnswer, WireRequest } from './transport.ts'
import { type WireSituation, wireFailure } from './wire-errors.ts'

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
  stream?: ByteStream
  /** So many bytes of the body are wanted and no more. */
  mostBytes?: number
  size: number
  isSent: boolean
  isOver: boolean
}

/** Watches the deadline and the caller's signals. */
export function watch(exchange: Exchange): void {
  const { signal, signalBeforeSending, timeoutMs } = exchange.request
  exchange.timer = setTimeout(() => fail(exchange, lateError(exchange)), timeoutMs)
  onAbort(exchange, signal, () => fail(exchange, cancelled(signal, exchange.isSent)))
  onAbort(exchange, signalBeforeSending, () => {
    if (!exchange.isSent) fail(exchange, cancelled(signalBeforeSending, false))
  })
}

function onAbort(exchange: Exchange, signal: AbortSignal | undefined, listener: () => void): void {
  if (!signal) return
  // One signal for a hundred calls is no leak, which Node would warn of from the eleventh on.
  setMaxListeners(0, signal)
  signal.addEventListener('abort', listener, { once: true })
  exchange.unwatch.push(() => signal.removeEventListener('abort', listener))
  if (signal.aborted) listener()
}

/** What undici tells of the request, put to use. */
export function handlerOf(exchange: Exchange): Dispatcher.DispatchHandler {
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
      if (exchange.stream) exchange.stream.end()
      else resolveBody(exchange)
    },
    onResponseError(_controller, error) {
      fail(exchange, error)
    },
  }
}

function resolveBody({ head, chunks, mostBytes, resolve }: Exchange): void {
  if (!head) return
  const body = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
  resolve({ kind: 'body', head, body: body.subarray(0, mostBytes) })
}

function takeHead(exchange: Exchange, head: AnswerHead): void {
  exchange.head = head
  exchange.request.place.answered()
  try {
    const use = exchange.request.judge(head)
    if (use === 'stream') startStream(exchange, head)
    else if (use !== 'collect') exchange.mostBytes = use.first
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
  const { head, stream, request, mostBytes } = exchange
  const { context } = request
  exchange.size += chunk.length
  if (stream) stream.push(chunk)
  else if (mostBytes !== undefined) {
    exchange.chunks.push(chunk)
    if (exchange.size < mostBytes) return
    end(exchange)
    resolveBody(exchange)
    exchange.controller?.abort(new Error('enough'))
  } else if (head && exchange.size > context.maxAnswerBytes) fail(exchange, answerTooLarge(head, context))
  // Where records are streamed, the memory of a chunk is used again after the call.
  else exchange.chunks.push(request.connection === 'streaming' ? Buffer.from(chunk) : chunk)
}

function end(exchange: Exchange): void {
  exchange.isOver = true
  clearTimeout(exchange.timer)
  for (const stop of exchange.unwatch) stop()
}

/** Ends the exchange with an error of ours, or with one of the network, which becomes one of ours. */
export function fail(exchange: Exchange, error: unknown): void {
  if (exchange.isOver) return
  end(exchange)
  const failure = RunbookError.is(error) ? error : wireFailure(error, situation(exchange))
  if (exchange.stream) exchange.stream.fail(failure)
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
