import type { BodyRoute, OperationId } from './body-schemas.ts'
import type { Runtime } from './call.ts'
import { checkBody, findUnknownFields, formatUnknownFields } from './check-body.ts'
import { waitUnlessClosing } from './clock.ts'
import type { Language } from './codes.ts'
import { spoilAnswer, spoilOutcome } from './fault-answers.ts'
import { type FaultRule, faultKindOf, isFaultExecuted } from './fault-rule.ts'
import { type HttpAnswer, presentOutcome } from './http-answer.ts'
import { isObject, type Json, type JsonObject } from './json.ts'
import { type Caller, findCaller } from './keys.ts'
import { handlers } from './operations/index.ts'
import { type HandledOutcome, type Refused, refuseCall } from './outcome.ts'
import type { RequestRecord } from './request-log.ts'

/** A request to one of the operations, its body complete. */
export interface Received {
  readonly route: BodyRoute
  readonly query: Readonly<Record<string, unknown>>
  readonly contentType: string | undefined
  readonly contentEncoding: string | undefined
  readonly language: Language
  readonly bytes: Buffer
  readonly record: RequestRecord
}

/** Stands for a body that is no JSON. */
const notJson = Symbol('not JSON')

/** Takes a call from its bytes to its answer: faults first, then the checks, the operation, the state file. */
export async function answerReceived(received: Received, runtime: Runtime): Promise<HttpAnswer | 'close'> {
  const { route, record, language } = received
  const caller = findCaller(received.query['app_key'])
  const body = parseJson(received.bytes)
  const rule = runtime.faults.take(route.id, caller?.key, body === notJson ? undefined : body)
  record.fault = rule ? (faultKindOf(rule) ?? 'delay_ms') : null

  const unknown = body === notJson ? [] : unknownFields(received, body)
  record.unknown_fields = unknown
  const outcome =
    rule && !isFaultExecuted(rule)
      ? refuseCall('InternalError')
      : await judge(received, caller, body, runtime)
  const isNewer = runtime.settings.shape === 'newer' || rule?.newer_shape === true
  const presentation = { requestId: record.request_id, language, isNewer }
  const answer = answerOf(rule, outcome, presentation, { route, body, runtime })
  await waitUnlessClosing(runtime.settings.latencyMs + (rule?.delay_ms ?? 0), runtime.closing)
  record.status = answer === 'close' ? null : answer.status
  record.code = answer === 'close' ? null : codeOf(rule, outcome)
  return answer === 'close' || unknown.length === 0
    ? answer
    : { ...answer, headers: { ...answer.headers, 'sandbox-unknown-fields': formatUnknownFields(unknown) } }
}

function answerOf(
  rule: FaultRule | undefined,
  outcome: HandledOutcome,
  presentation: Parameters<typeof presentOutcome>[1],
  { route, body, runtime }: { route: BodyRoute; body: Json | typeof notJson; runtime: Runtime },
): HttpAnswer | 'close' {
  const spoiled = rule ? spoilOutcome(rule, outcome) : outcome
  const shaped = presentation.isNewer ? toNewerShape(route.id, spoiled, body) : spoiled
  const answer = presentOutcome(shaped, presentation)
  return rule ? spoilAnswer(rule, answer, presentation, runtime.closing) : answer
}

/** Every check in the order in which the sandbox makes them, then the operation itself. */
async function judge(
  received: Received,
  caller: Caller | undefined,
  body: Json | typeof notJson,
  runtime: Runtime,
): Promise<HandledOutcome> {
  const { route, record } = received
  if (caller === undefined) return refuseCall('Unauthorized')
  const refused =
    checkContentType(received) ??
    checkRate(route, caller, runtime) ??
    (body === notJson
      ? refuseCall('BadRequest', { en: 'The body is not valid JSON.', zh: '请求体不是有效的 JSON。' })
      : undefined)
  if (refused || body === notJson) return refused ?? refuseCall('BadRequest')
  const { permission, execute } = handlers[route.id]
  if (permission !== undefined && !caller.permissions.includes(permission)) {
    return refuseCall('AccessDenied', {
      en: `The key lacks the permission ${permission}.`,
      zh: `没有 ${permission} 权限。`,
    })
  }
  const invalid = checkBody(route.id, body)
  if (invalid) return invalid
  const outcome = await execute({ body, caller, requestId: record.request_id }, runtime)
  record.executed = outcome.kind !== 'refused'
  // A caller may rely on an answer, even if this process is killed now.
  await runtime.save()
  return outcome
}

function checkContentType({ contentType, contentEncoding }: Received): Refused | undefined {
  const isJson = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(contentType ?? '')
  const isPlain = contentEncoding === undefined || contentEncoding.toLowerCase() === 'identity'
  return isJson && isPlain ? undefined : refuseCall('InvalidContentType')
}

function checkRate(
  route: BodyRoute,
  caller: Caller,
  { settings, limits, clock }: Runtime,
): Refused | undefined {
  if (!settings.limits) return undefined
  const sharedBy = route.limit.per === 'account' ? caller.accountId : caller.key
  const waitMs = limits.take(`${route.id}/${sharedBy}`, route.limit, clock.now())
  if (waitMs === 0) return undefined
  return refuseCall('RequestTooFrequently', undefined, { 'retry-after': String(Math.ceil(waitMs / 1000)) })
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function parseJson(bytes: Buffer): Json | typeof notJson {
  try {
    return JSON.parse(utf8.decode(bytes)) as Json
  } catch {
    return notJson
  }
}

function unknownFields({ route, query }: Received, body: Json): readonly string[] {
  const parameters = Object.keys(query).filter((name) => name !== 'app_key')
  return [...parameters.map((name) => `?${name}`), ...findUnknownFields(route.schema, body)]
}

function codeOf(rule: FaultRule | undefined, outcome: HandledOutcome): string | null {
  const kind = rule && faultKindOf(rule)
  if (kind === 'html' || kind === 'redirect') return null
  if (rule?.error !== undefined) return typeof rule.error === 'string' ? rule.error : rule.error.code
  return outcome.kind === 'refused' ? outcome.code : 'OK'
}

/** The outcome in the shape that newer services answer with, where it differs from the document's. */
function toNewerShape(id: OperationId, outcome: HandledOutcome, body: Json | typeof notJson): HandledOutcome {
  if (outcome.kind !== 'data') return outcome
  if (id === 'E7') return { kind: 'data', data: {} }
  const data = outcome.data
  if (!isObject(data)) return outcome
  if (id === 'E4' || id === 'catalog') return { kind: 'data', data: flattenInvocation(data, body) }
  if (id === 'E3') return { kind: 'data', data: { items: mapItems(data['items'], renameTracing) } }
  return outcome
}

/** What is null or empty is left out, and so is a target of no known kind, in an answer and in its results. */
function flattenInvocation({ target, error, results, ...rest }: JsonObject, body: unknown): JsonObject {
  const known = isObject(target) && target['kind'] !== '' ? { target } : {}
  if (isObject(error)) return { ...known, error }
  const calls = isObject(body as Json) ? (body as JsonObject)['tools'] : undefined
  const params = mapItems(calls as Json | undefined, (call) => call['params'] ?? {})
  const flatten = (result: JsonObject, index: number): Json => flattenResult(result, params[index] ?? {})
  return { ...rest, ...known, ...(results === undefined ? {} : { results: mapItems(results, flatten) }) }
}

/** A result's data stands on the result itself, beside the params of the call. There are no elapsed times. */
function flattenResult({ tool = '', tool_version = '', data, error }: JsonObject, params: Json): JsonObject {
  if (!isObject(data)) return { tool, tool_version, params, error: error ?? null }
  const { data: inner, summary = '', truncated } = data
  const isEmpty = !isObject(inner) || Object.keys(inner).length === 0
  const isTruncated = isObject(truncated) && truncated['truncated'] === true
  return {
    tool,
    tool_version,
    params,
    ...(isEmpty ? {} : { data: inner }),
    summary,
    ...(isTruncated && { truncated: { reason: 'row_limit' } }),
  }
}

function renameTracing({ 'the service': tracing = {}, ...application }: JsonObject): JsonObject {
  return { ...application, tracing }
}

function mapItems(
  items: Json | undefined,
  change: (item: JsonObject, index: number) => Json,
): readonly Json[] {
  return Array.isArray(items)
    ? items.map((item: Json, index) => (isObject(item) ? change(item, index) : item))
    : []
}
