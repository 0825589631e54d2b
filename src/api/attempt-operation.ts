import type { JsonObject, JsonValue } from '../core/json.ts'
import { errorData, RunbookError } from '../core/run-error.ts'
import type { Answer, AttemptOptions } from './answer.ts'
import { attemptEnvelope, attemptRecord } from './attempt.ts'
import type { Connection } from './connection.ts'
import type { EnvelopeData } from './envelope.ts'
import type { CallLog } from './logger.ts'
import type { OperationMethod } from './operations/index.ts'
import type { Route } from './route.ts'
import { writeRecord } from './session-record/index.ts'

/** Makes exactly one attempt and logs it. The input and the options have been checked. */
export async function attemptOperation(
  connection: Connection,
  method: OperationMethod,
  input: JsonObject,
  options: AttemptOptions,
): Promise<Answer<JsonValue>> {
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
    ...(code === undefined ? {} : { code }),
    ...(requestId === undefined ? {} : { requestId }),
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
  route: Route,
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
