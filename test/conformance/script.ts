import type { AttemptResult } from '../../src/core/calls/index.ts'
import type { CallRequest } from '../../src/core/host/host.ts'
import type { JsonObject, JsonValue } from '../../src/core/json.ts'
import type { ErrorData } from '../../src/core/run-error.ts'
import { parseDuration } from '../../src/core/times/duration.ts'
import type { WorldAnswer } from '../../src/testing/index.ts'
import type { RunCase, ScriptedAnswer, ScriptedError } from './run-case.ts'

/** The answer that a case gives to an attempt. */
export function answerTo({ answers = {} }: Pick<RunCase, 'answers'>, request: CallRequest): WorldAnswer {
  const script = answers[request.path] ?? answers[request.action] ?? {}
  const list = Array.isArray(script) ? (script as readonly ScriptedAnswer[]) : [script as ScriptedAnswer]
  const answer = list[Math.min(request.attempt, list.length) - 1] ?? {}
  return {
    result: resultOf(answer, request),
    takesMs: milliseconds(answer.takes ?? '0s'),
    waitsMs: milliseconds(answer.waits ?? '0s'),
  }
}

/** Milliseconds of a duration in a case. */
export function milliseconds(text: string): number {
  const parsed = parseDuration(text)
  if (parsed === undefined) throw new Error(`"${text}" is no duration`)
  return parsed
}

function resultOf(answer: ScriptedAnswer, request: CallRequest): AttemptResult {
  if (answer.error !== undefined) return { status: 'failed', error: errorOf(answer.error) }
  if (answer.output !== undefined) return { status: 'succeeded', output: answer.output }
  const usual = usualOutput(answer, request)
  if (answer.size === undefined) return { status: 'succeeded', output: usual }
  return { status: 'succeeded', output: { ...usual, value: (answer.of ?? 'x').repeat(answer.size) } }
}

function errorOf(error: string | ScriptedError): ErrorData {
  const { code, message, ...more } = typeof error === 'string' ? { code: error } : error
  const { 'request-id': requestId, 'retry-after': retryAfter, status } = more as Partial<ScriptedError>
  return {
    code,
    message: message ?? `said ${code}`,
    ...(requestId === undefined ? {} : { requestId }),
    ...(status === undefined ? {} : { details: { status } }),
    ...(retryAfter === undefined ? {} : { retryAfterMs: milliseconds(retryAfter) }),
  }
}

function usualOutput(
  { failing = {}, missing = [] }: ScriptedAnswer,
  { action, input }: CallRequest,
): JsonObject {
  const list = (name: string): readonly JsonValue[] => {
    const value = input[name]
    return Array.isArray(value) ? value : []
  }
  switch (action) {
    case 'test/create':
      return { id: `id of ${String(input['name'])}` }
    case 'test/batch':
      return { results: list('items').map((item) => resultOfItem(item, failing[String(item)])) }
    case 'test/find':
      return {
        found: list('ids')
          .filter((id) => !missing.includes(String(id)))
          .map((id) => ({ id })),
      }
    case 'test/export':
    case 'core/write':
      return { path: '', bytes: 0, sha256: '' }
    case 'core/http':
      return { status: 200, headers: {}, body: null }
    default:
      return { value: input['of'] ?? null }
  }
}

function resultOfItem(item: JsonValue, code: string | undefined): JsonObject {
  return {
    item,
    value: `value of ${String(item)}`,
    error: code === undefined ? null : { code, message: `said ${code}` },
  }
}
