import { isUtf8 } from 'node:buffer'
import type { BatchRule, InputProblem } from '../../core/action.ts'
import { errorRule, isOwnErrorCode } from '../../core/errors.ts'
import { isDeeper, isJsonObject, type JsonObject, type JsonValue, mostLevels } from '../../core/json.ts'
import type { RunbookError } from '../../core/run-error.ts'
import type { OperationFailure } from '../operations/operation.ts'
import type { Masked } from '../secrets/scrub.ts'
import { type CheckedOutput, checkOutput } from '../validation/check-output.ts'
import { type ParsedJson, parseJson } from '../validation/parse-json.ts'
import {
  type AnswerContext,
  type AnswerHead,
  answerError,
  foreignAnswer,
  hasContentType,
  requestIdHeader,
} from './answer-head.ts'

/** A successful answer in the document's shape. */
export interface EnvelopeData {
  readonly data: JsonValue
  readonly requestId: string | undefined
  readonly warnings: readonly string[]
}

/**
 * Reads an envelope: its data, normalised and checked, or the error it reports at any level. Only `error.code`
 * decides; the HTTP status has no meaning.
 */
export function readEnvelope(
  body: Buffer,
  head: AnswerHead,
  input: JsonObject,
  context: AnswerContext,
): EnvelopeData {
  const { value, bigNumbers, text } = parseBody(body, head, context)
  if (!isEnvelope(value)) throw foreignAnswer('with JSON that is no envelope', head, context)
  const requestId = requestIdOf(value, head, context)
  const failure = envelopeFailure(value)
  if (failure) throw reported(believable(failure, []), requestId, head, context)
  const { operation } = context
  const masked = context.maskKey(value['data'] ?? null, text)
  const data = operation.normalize?.(masked.value) ?? masked.value
  const inner = operation.failure?.(data)
  if (inner) throw reported(believable(inner, operation.errors ?? []), requestId, head, context)
  const { broken, warnings: outputWarnings } =
    Object.hasOwn(value, 'data') || operation.normalize ? checkOutput(operation, data) : noData
  const problem = broken ?? resultsMismatch(data, input, context)
  if (problem) throw reported(invalid(problem), requestId, head, context)
  return { data, requestId, warnings: warningsOf(bigNumbers, masked, outputWarnings, context) }
}

const noData: CheckedOutput = { broken: { path: 'data', message: 'is missing' }, warnings: [] }

function invalid({ path, message }: InputProblem): OperationFailure {
  return { code: 'InvalidAnswer', message: `in the answer, ${path} ${message}`, details: { path } }
}

function reported(
  { code, message, details }: OperationFailure,
  requestId: string | undefined,
  head: AnswerHead,
  context: AnswerContext,
): RunbookError {
  return answerError(code, message, head, context, { requestId, details })
}

function warningsOf(
  bigNumbers: readonly string[],
  { paths }: Masked,
  outputWarnings: readonly string[],
  { scrub }: AnswerContext,
): readonly string[] {
  const asText = bigNumbers.map((path) => `in the answer, ${path} is beyond 2^53 - 1 and is given as text`)
  const others = paths.length > 1 ? ` and ${paths.length - 1} more` : ''
  const maskings = paths.length > 0 ? [`in the answer, ${paths[0]}${others} held the app key: masked`] : []
  return [...asText, ...maskings, ...outputWarnings].map(scrub.text)
}

interface ParsedBody extends ParsedJson {
  readonly text: string
}

function parseBody(body: Buffer, head: AnswerHead, context: AnswerContext): ParsedBody {
  if (body.length === 0) throw foreignAnswer('with an empty body', head, context)
  if (!isUtf8(body)) throw unreadable('not valid UTF-8', head, context)
  if (isDeeper(body)) throw unreadable(`nested deeper than ${mostLevels} levels`, head, context)
  const text = body.toString()
  try {
    return { text, ...parseJson(text) }
  } catch {
    // The parser's own message quotes the text.
    throw unreadable('not valid JSON', head, context)
  }
}

function unreadable(what: string, head: AnswerHead, context: AnswerContext): Error {
  return hasContentType(head)
    ? answerError('InvalidAnswer', `HTTP ${head.status} with a body that is ${what}`, head, context)
    : foreignAnswer(`with a body that is ${what}`, head, context)
}

function isEnvelope(value: JsonValue): value is JsonObject {
  if (!isJsonObject(value)) return false
  const hasId = typeof value['request_id'] === 'string'
  return hasId || Object.hasOwn(value, 'data') || isJsonObject(value['error'])
}

function requestIdOf(envelope: JsonObject, head: AnswerHead, { scrub }: AnswerContext): string | undefined {
  const own = envelope['request_id']
  const id = typeof own === 'string' && own !== '' ? own : requestIdHeader(head.headers)
  return id === undefined ? undefined : scrub.text(id)
}

/** The failure that the envelope reports. Some services say `OK` in any case, nothing, or `"0"` where all went well. */
function envelopeFailure({ error }: JsonObject): OperationFailure | undefined {
  if (error === undefined || error === null) return undefined
  if (!isJsonObject(error))
    return { code: 'InvalidAnswer', message: 'the error in the answer is not an object' }
  const message = typeof error['message'] === 'string' ? error['message'] : ''
  const code = error['code'] ?? null
  const isText = typeof code === 'string' || typeof code === 'number'
  if (!isText && (code !== null || message !== ''))
    return { code: 'InvalidAnswer', message: `the answer reports an error without a code: ${message}` }
  const name = isText ? String(code).trim() : ''
  return ['', 'ok', '0'].includes(name.toLowerCase()) ? undefined : { code: name, message }
}

/**
 * The failure, unless it has a code of ours: such a code proves facts that no service knows, so it is an
 * `InvalidAnswer`.
 */
function believable(
  { code, message, details }: OperationFailure,
  expected: readonly string[],
): OperationFailure {
  const isForeign = isOwnErrorCode(code) && code !== 'InvalidAnswer' && !expected.includes(code)
  return {
    code: isForeign ? 'InvalidAnswer' : code.slice(0, 100),
    message: isForeign ? `the service reports "${code}": ${message}` : message || errorRule(code).explanation,
    ...(details === undefined ? {} : { details }),
  }
}

function resultsMismatch(
  data: JsonValue,
  input: JsonObject,
  { operation }: AnswerContext,
): InputProblem | undefined {
  const { batch } = operation
  if (!batch?.isPositional) return undefined
  const results = isJsonObject(data) ? data[batch.results] : undefined
  const items = input[batch.argument]
  if (!Array.isArray(results) || !Array.isArray(items)) return undefined
  if (results.length === items.length) return orderMismatch(results, items, batch)
  const message = `holds ${results.length} entries for ${items.length} ${batch.argument}`
  return { path: `data.${batch.results}`, message }
}

/** Results belong to items by their index alone: a name of another item shows that the index is wrong. */
function orderMismatch(
  results: readonly JsonValue[],
  items: readonly JsonValue[],
  { itemKey, results: path }: BatchRule,
): InputProblem | undefined {
  if (itemKey === undefined) return undefined
  const nameOf = (value: JsonValue | undefined): JsonValue | undefined =>
    isJsonObject(value) ? value[itemKey] : undefined
  const index = results.findIndex((result, position) => nameOf(result) !== nameOf(items[position]))
  if (index < 0) return undefined
  const [found, wanted] = [nameOf(results[index]), nameOf(items[index])]
  const message = `is ${JSON.stringify(found)} where ${JSON.stringify(wanted)} was asked for`
  return { path: `data.${path}[${index}].${itemKey}`, message }
}
