import { isJsonObject, type JsonObject, type JsonSchema } from '../core/json.ts'
import { errorData, RunbookError } from '../core/run-error.ts'
import type { AttemptOptions } from './answer.ts'
import { type AnswerContext, answerError, judgeHead } from './answer-head.ts'
import type { Connection } from './connection.ts'
import { type EnvelopeData, readEnvelope } from './envelope.ts'
import { requestIdHeader } from './headers.ts'
import type { AnyOperation } from './operations/operation.ts'
import { type Place, takeFreePlace, takePlace } from './place.ts'
import type { Route } from './route.ts'
import { send, type WireAnswer, type WireRequest } from './transport.ts'
import { steadyNow } from './waits.ts'

/** Makes exactly one attempt of an operation that answers with an envelope. The input has been checked. */
export async function attemptEnvelope(
  connection: Connection,
  route: Route,
  input: JsonObject,
  options: AttemptOptions,
): Promise<EnvelopeData> {
  const context = contextOf(route, input)
  const free = takeFreePlace(connection, route, options)
  const place = free ?? (await takePlace(connection, route, input, options))
  try {
    await options.beforeSending?.()
    const answer = await sendFrom(place, connection, route, context, input, options)
    if (answer.kind === 'body') return readEnvelope(answer.body, answer.head, input, context)
    throw answerError('InvalidAnswer', 'the answer is a stream', answer.head, context)
  } catch (error) {
    throw pauseIfTooFrequent(connection, route, error)
  } finally {
    place.leave()
  }
}

/** The bytes of a record, sent for when the first one is asked for. Errors before the first byte are the service's. */
export async function* attemptRecord(
  connection: Connection,
  route: Route,
  input: JsonObject,
  options: AttemptOptions,
  onRequestId: (requestId: string) => void,
): AsyncGenerator<Uint8Array> {
  const context = contextOf(route, input)
  const place = await takePlace(connection, route, input, options)
  try {
    await options.beforeSending?.()
    const answer = await sendFrom(place, connection, route, context, input, options)
    if (answer.kind === 'body') {
      readEnvelope(answer.body, answer.head, input, {
        ...context,
        operation: { ...route.operation, output: anything },
      })
      throw answerError('InvalidAnswer', 'the answer is an envelope and not a record', answer.head, context)
    }
    const requestId = requestIdHeader(answer.head.headers)
    if (requestId) onRequestId(context.scrub.text(requestId))
    yield* answer.chunks
  } catch (error) {
    throw pauseIfTooFrequent(connection, route, error)
  } finally {
    place.leave()
  }
}

const anything: JsonSchema = {}

function contextOf({ context, operation }: Route, input: JsonObject): AnswerContext {
  const secrets = operation.sensitiveInput?.flatMap((path) => textsAt(input, path.split('.'))) ?? []
  return secrets.length === 0 ? context : { ...context, scrub: context.scrub.with(secrets) }
}

/** All texts at a path of the table, in which `*` stands for any name. */
function textsAt(value: unknown, [name, ...rest]: readonly string[]): readonly string[] {
  if (name === undefined) return typeof value === 'string' ? [value] : []
  if (!isJsonObject(value)) return []
  return Object.keys(value)
    .filter((key) => name === '*' || name === key)
    .flatMap((key) => textsAt(value[key], rest))
}

function sendFrom(
  place: Place,
  { agents, settings }: Connection,
  route: Route,
  context: AnswerContext,
  input: JsonObject,
  { signal, signalBeforeSending, timeoutMs }: AttemptOptions,
): Promise<WireAnswer> {
  const { operation, path, headers } = route
  return send(agents, {
    origin: settings.origin,
    method: 'POST',
    path,
    headers,
    connection: connectionFor(operation),
    body: JSON.stringify(operation.prepare?.(input) ?? input),
    timeoutMs: timeoutMs ?? operation.defaultTimeoutMs,
    signal,
    signalBeforeSending,
    judge: (head) => judgeHead(head, context),
    context,
    place,
  })
}

/** How long everybody pauses when the service does not say how long. */
const pauseMs = 1000

/** The failure as a `RunbookError`; being called too often pauses everybody. */
function pauseIfTooFrequent(
  { budget, scrub }: Connection,
  { rateKey }: Route,
  thrown: unknown,
): RunbookError {
  if (!RunbookError.is(thrown)) {
    return new RunbookError('InternalDefect', scrub.text(errorData(thrown).message), { cause: thrown })
  }
  const isAnswered = thrown.code === 'RequestTooFrequently'
  if (isAnswered) budget.pause(rateKey, steadyNow() + (thrown.retryAfterMs ?? pauseMs))
  return thrown
}

/** A stale connection is never to be mistaken for the lost answer of a create. */
function connectionFor({ answer, safety }: AnyOperation): WireRequest['connection'] {
  if (answer === 'ndjson') return 'streaming'
  return safety === 'create' ? 'fresh' : 'kept'
}
