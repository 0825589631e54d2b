import {
  isJsonObject,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  withoutUndefined,
} from '../../core/json.ts'
import { errorData, RunbookError } from '../../core/run-error.ts'
import { type AnswerContext, answerError, judgeHead, requestIdHeader } from '../http/answer-head.ts'
import { type EnvelopeData, readEnvelope } from '../http/envelope.ts'
import { send, type WireAnswer, type WireRequest } from '../http/transport.ts'
import type { OperationMethod } from '../operations/index.ts'
import type { AnyOperation } from '../operations/operation.ts'
import { acquirePermit, type Permit, sendWithPermit, tryPermit } from '../pacing/permit.ts'
import { steadyNow } from '../pacing/waits.ts'
import { writeRecord } from '../session-record/index.ts'
import type { AttemptOptions, ServiceAnswer } from './answer.ts'
import type { Connection } from './client-context.ts'
import type { CallLog } from './client-options.ts'
import type { OperationRoute } from './route.ts'

/** Makes exactly one attempt of an operation that answers with an envelope. The input has been checked. */
async function attemptEnvelope(
  connection: Connection,
  route: OperationRoute,
  input: JsonObject,
  options: AttemptOptions,
): Promise<EnvelopeData> {
  const context = contextOf(route, input)
  const { permit, answer } = await sendFrom(connection, route, context, input, options)
  try {
    if (answer.kind === 'body') return readEnvelope(answer.body, answer.head, input, context)
    throw answerError('InvalidAnswer', 'the answer is a stream', answer.head, context)
  } catch (error) {
    throw pauseIfTooFrequent(connection, route, error)
  } finally {
    permit.leave()
  }
}

/** The bytes of a record, requested with the first read. Errors before the first byte are those of the service. */
export async function* attemptRecord(
  connection: Connection,
  route: OperationRoute,
  input: JsonObject,
  options: AttemptOptions,
  onRequestId: (requestId: string) => void,
): AsyncGenerator<Uint8Array> {
  const context = contextOf(route, input)
  const { permit, answer } = await sendFrom(connection, route, context, input, options)
  try {
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
    permit.leave()
  }
}

const anything: JsonSchema = {}

function contextOf({ context, operation }: OperationRoute, input: JsonObject): AnswerContext {
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

/** The caller leaves the permit once it has read the answer. */
function sendFrom(
  connection: Connection,
  route: OperationRoute,
  context: AnswerContext,
  input: JsonObject,
  options: AttemptOptions,
): Promise<{ readonly permit: Permit; readonly answer: WireAnswer }> {
  const take = (): Permit | Promise<Permit> =>
    tryPermit(connection, route, options) ?? acquirePermit(connection, route, input, options)
  const sendNow = async (permit: Permit): Promise<WireAnswer> => {
    try {
      return await sendOver(connection, route, permit, context, input, options)
    } catch (error) {
      throw pauseIfTooFrequent(connection, route, error)
    }
  }
  return sendWithPermit(take, sendNow)
}

function sendOver(
  { agents, settings }: Connection,
  route: OperationRoute,
  permit: Permit,
  context: AnswerContext,
  input: JsonObject,
  { signal, signalBeforeSending, beforeSending, timeoutMs }: AttemptOptions,
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
    beforeSending,
    judge: (head) => judgeHead(head, context),
    context,
    permit,
  })
}

/** How long all calls of the account pause when the service names no time. */
const pauseMs = 1000

/** The failure as a `RunbookError`; being called too often pauses all calls of the account. */
function pauseIfTooFrequent(
  { budget, scrub }: Connection,
  { rateKey }: OperationRoute,
  thrown: unknown,
): RunbookError {
  if (!RunbookError.is(thrown))
    return new RunbookError('InternalDefect', scrub.text(errorData(thrown).message), { cause: thrown })
  const isAnswered = thrown.code === 'RequestTooFrequently'
  if (isAnswered) budget.pause(rateKey, steadyNow() + (thrown.retryAfterMs ?? pauseMs))
  return thrown
}

/** A create uses a fresh connection: a stale one must not look like a lost answer. */
function connectionFor({ safety }: AnyOperation): WireRequest['connection'] {
  return safety === 'create' ? 'fresh' : 'kept'
}

/** Makes exactly one attempt and logs it. The input and the options have been checked. */
export async function attemptOperation(
  connection: Connection,
  method: OperationMethod,
  input: JsonObject,
  options: AttemptOptions,
): Promise<ServiceAnswer<JsonValue>> {
  const { operation } = connection.routes[method]
  const { logger } = connection
  const startedAt = performance.now()
  try {
    const { data, requestId, warnings } = await attemptKind(connection, method, input, options)
    if (logger) logger.debug(callLog(operation.name, options, startedAt, { requestId }), 'call succeeded')
    return { data, requestId, requestIds: requestId === undefined ? [] : [requestId], warnings }
  } catch (error) {
    const { code, requestId } = RunbookError.is(error)
      ? error
      : { code: 'InternalDefect', requestId: undefined }
    logger?.warn(callLog(operation.name, options, startedAt, { code, requestId }), 'call failed')
    throw error
  }
}

function callLog(
  operation: string,
  options: AttemptOptions,
  startedAt: number,
  { code, requestId }: { readonly code?: string; readonly requestId: string | undefined },
): CallLog {
  return {
    operation,
    attempt: options.attempt ?? 1,
    durationMs: Math.round(performance.now() - startedAt),
    ...withoutUndefined({ code, requestId }),
  }
}

function attemptKind(
  connection: Connection,
  method: OperationMethod,
  input: JsonObject,
  options: AttemptOptions,
): Promise<EnvelopeData> {
  const route = connection.routes[method]
  return route.operation.answer === 'json'
    ? attemptEnvelope(connection, route, input, options)
    : exportRecord(connection, route, input, options)
}

async function exportRecord(
  connection: Connection,
  route: OperationRoute,
  input: JsonObject,
  options: AttemptOptions,
): Promise<EnvelopeData> {
  let requestId: string | undefined
  const chunks = attemptRecord(connection, route, input, options, (id) => {
    requestId = id
  })
  try {
    const includeSubagents = input['include_subagents'] === true
    const record = await writeRecord(chunks, options.file ?? '', { includeSubagents })
    const warnings = record.doubt === undefined ? [] : [record.doubt]
    return { data: { ...record }, warnings, requestId }
  } catch (error) {
    if (!RunbookError.is(error) || error.requestId !== undefined || requestId === undefined) throw error
    const { code, message, ...more } = errorData(error)
    throw new RunbookError(code, message, { ...more, requestId, cause: error.cause })
  }
}
