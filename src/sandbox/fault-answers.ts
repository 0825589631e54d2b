import { STATUS_CODES } from 'node:http'
import { waitUnlessClosing } from './clock.ts'
import { type Code, codes, usualText } from './codes.ts'
import { type FaultRule, faultKindOf, type StreamEnd } from './fault-rule.ts'
import { type HttpAnswer, type Presentation, presentRefused } from './http-answer.ts'
import { isObject, type Json, type JsonObject } from './json.ts'
import type { HandledOutcome, Refused } from './outcome.ts'

/** Changes what an operation answered, where the fault is about the answer's contents. */
export function spoilOutcome(rule: FaultRule, outcome: HandledOutcome): HandledOutcome {
  if (outcome.kind !== 'data' || !isObject(outcome.data)) return outcome
  const { data } = outcome
  if (rule.target_error !== undefined) {
    const error =
      typeof rule.target_error === 'string'
        ? { code: rule.target_error, message: 'a fault rule asked for this' }
        : { message: 'a fault rule asked for this', ...rule.target_error }
    const list = 'tools' in data ? { tools: [] } : { results: [] }
    return { kind: 'data', data: { ...data, ...list, error } }
  }
  if (rule.tool_error !== undefined && Array.isArray(data['results'])) {
    const { tool, code, message = 'a fault rule asked for this' } = rule.tool_error
    const results = data['results'].map((result: Json) =>
      isObject(result) && (tool === undefined || result['tool'] === tool)
        ? ({ ...result, data: null, error: { code, message } } satisfies JsonObject)
        : result,
    )
    return { kind: 'data', data: { ...data, results } }
  }
  return outcome
}

/** Changes what goes out; `close` stands for no answer at all. */
export function spoilAnswer(
  rule: FaultRule,
  answer: HttpAnswer,
  presentation: Presentation,
  closing: AbortSignal,
): HttpAnswer | 'close' {
  const { headers, body } = answer
  switch (faultKindOf(rule)) {
    case 'close_before':
    case 'close_after':
      return 'close'
    case 'error':
      return presentRefused(refusalOf(rule.error ?? ''), presentation)
    case 'html':
      return gatewayPage(rule.html ?? 502)
    case 'redirect':
      return { status: 302, headers: { location: rule.redirect ?? '/' }, body: '' }
    case 'broken_json':
      return { ...answer, body: typeof body === 'string' ? half(body) : cutLines(body, 1, 'half_line') }
    case 'empty_body':
      return { ...answer, body: '' }
    case 'huge_body':
      return { ...answer, body: hugeBody(rule.huge_body ?? 1, presentation.requestId) }
    case 'wrong_content_type':
      return { ...answer, headers: { ...headers, 'content-type': rule.wrong_content_type ?? '' } }
    case 'truncated_stream':
      if (typeof body === 'string') return answer
      return {
        ...answer,
        body: cutLines(body, rule.truncated_stream?.lines ?? 0, rule.truncated_stream?.end),
      }
    case 'slow_stream':
      if (typeof body === 'string') return answer
      return { ...answer, body: slowLines(body, rule.slow_stream?.line_delay_ms ?? 0, closing) }
    default:
      return answer
  }
}

function refusalOf(error: NonNullable<FaultRule['error']>): Refused {
  const { code, message, retry_after } = typeof error === 'string' ? { code: error } : { ...error }
  const known = code in codes ? usualText(code as Code) : undefined
  const text = message === undefined ? known : { en: message, zh: message }
  return {
    kind: 'refused',
    code,
    text: text ?? { en: `The call failed with ${code}.`, zh: `调用失败：${code}。` },
    ...(retry_after !== undefined && { headers: { 'retry-after': String(retry_after) } }),
  }
}

/** What a gateway in between says; it knows nothing of envelopes and request ids. */
function gatewayPage(status: number): HttpAnswer {
  const title = `${status} ${STATUS_CODES[status] ?? ''}`.trim()
  const body = `<html>\n<head><title>${title}</title></head>\n<body><h1>${title}</h1></body>\n</html>\n`
  return { status, headers: { 'content-type': 'text/html', server: 'gateway' }, body }
}

function half(text: string): string {
  return text.slice(0, Math.floor(text.length / 2))
}

async function* singleLines(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const chunk of chunks) yield* chunk.match(/[^\n]*\n/g) ?? []
}

async function* cutLines(
  chunks: AsyncIterable<string>,
  count: number,
  end: StreamEnd = 'close',
): AsyncGenerator<string> {
  let passed = 0
  for await (const line of singleLines(chunks)) {
    if (passed++ < count) yield line
    else if (end === 'half_line') yield half(line)
    else if (end === 'error_line')
      yield `${JSON.stringify({ type: 'error', error: { code: 'InternalError' } })}\n`
    else if (end === 'close') throw new Error('a fault rule closes the connection here')
    if (passed > count) return
  }
}

async function* slowLines(
  chunks: AsyncIterable<string>,
  lineDelayMs: number,
  closing: AbortSignal,
): AsyncGenerator<string> {
  for await (const line of singleLines(chunks)) {
    await waitUnlessClosing(lineDelayMs, closing)
    yield line
  }
}

/** An envelope of this many bytes, made while it is read. */
async function* hugeBody(bytes: number, requestId: string): AsyncGenerator<string> {
  const start = `{"request_id":"${requestId}","data":{"padding":"`
  const end = '"}}'
  yield start
  const chunk = 'x'.repeat(65_536)
  for (let left = bytes - start.length - end.length; left > 0; left -= chunk.length)
    yield left >= chunk.length ? chunk : chunk.slice(0, left)
  yield end
}
