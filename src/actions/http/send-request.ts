import { setMaxListeners } from 'node:events'
import type { LookupFunction } from 'node:net'
import { type Agents, createAgents } from '../../api/agents.ts'
import { type AnswerHead, answerError } from '../../api/answer-head.ts'
import { proxyPasswords } from '../../api/proxies.ts'
import { createScrubber } from '../../api/scrub.ts'
import { send, type WireAnswer, type WireRequest } from '../../api/transport.ts'
import type { ActionDescription } from '../../core/action.ts'
import type { JsonObject } from '../../core/json.ts'
import { mergeSpans } from '../../core/mask/find-secrets.ts'
import { createMask, secretMark } from '../../core/mask/mask.ts'

import { errorData, RunbookError } from '../../core/run-error.ts'
import { safetyOf } from '../../core/safety.ts'
import type { ActionAnswer, ActionContext } from '../action.ts'
import { type AnswerFacts, judgeStatus, readAnswer, requestIdOf } from './read-answer.ts'
import { asRequest, type HttpRequest } from './request.ts'
import { openAnswerFile } from './save-answer.ts'

/** Sends one request, and makes outputs of the answer. Rejects with a `RunbookError` that says whether it went out. */
export type SendRequest = (input: JsonObject, context: ActionContext) => Promise<ActionAnswer>

/** What sends requests: its connections are kept for the next one, and end by themselves. */
export function createSender(action: ActionDescription, lookup: LookupFunction | undefined): SendRequest {
  const agents = createAgents(undefined, { kind: 'environment' }, lookup)
  const passwords = proxyPasswords({ kind: 'environment' })
  return (input, context) => sendRequest(action, input, context, agents, passwords)
}

async function sendRequest(
  action: ActionDescription,
  input: JsonObject,
  { signal, signalBeforeSending, beforeSending, timeoutMs, artifacts, saveAs, mask }: ActionContext,
  agents: Agents,
  passwords: readonly string[],
): Promise<ActionAnswer> {
  const request = asRequest(input)
  const { method = 'GET', ok } = request
  const { origin, pathname, search } = new URL(request.url)
  const secrets = Object.values(request['secret-headers'] ?? {}).map(({ secret }) => secret)
  const scrub = createScrubber([...secrets, ...passwords])
  const facts: AnswerFacts = {
    origin,
    request: { method, path: pathname },
    ok,
    isSaved: saveAs !== undefined,
    scrub,
  }
  const safety = safetyOf(action, input)
  // One signal for a hundred requests is no leak, which Node would warn of from the eleventh on.
  for (const one of [signal, signalBeforeSending]) setMaxListeners(0, one)
  const call: WireRequest = {
    origin,
    method,
    path: pathname + withQuery(search, request),
    headers: headersOf(request),
    body: bodyText(request),
    connection: safety === 'create' ? 'fresh' : 'kept',
    timeoutMs: timeoutMs ?? action.defaultTimeoutMs,
    signal,
    signalBeforeSending,
    judge: (head) => judgeStatus(head, facts),
    // The judgement of each answer says how much of it is read.
    context: { scrub, maxAnswerBytes: 0 },
    place: { sent() {}, answered() {} },
  }
  const sendCall = async (): Promise<WireAnswer> => {
    if (safety === 'create') await beforeSending()
    return send(agents, call)
  }
  if (saveAs === undefined) return readAnswer(...bodyOf(await sendCall()), facts)
  const ofProxies = createMask(passwords, secretMark)
  const file = await openAnswerFile(artifacts, saveAs, (text) =>
    mergeSpans([...mask.secretsIn(text), ...ofProxies.secretsIn(text)]),
  )
  try {
    const answer = await sendCall()
    if (answer.kind === 'body') return readAnswer(...bodyOf(answer), facts)
    const written = await file.write(answer.chunks).catch((cause) => {
      throw safety === 'create' ? doneAndNotSaved(cause, answer.head, facts) : cause
    })
    return { output: { ...written }, ...requestIdOf(answer.head, facts) }
  } finally {
    await file.discard()
  }
}

function bodyOf(answer: WireAnswer): [Buffer, AnswerHead] {
  if (answer.kind === 'body') return [answer.body, answer.head]
  throw new RunbookError('InternalDefect', 'the answer of core/http came as a stream')
}

/** What was created and cannot be kept is not a failure that says that nothing was done. */
function doneAndNotSaved(cause: unknown, head: AnswerHead, facts: AnswerFacts): RunbookError {
  const message = `core/http has run, and its answer could not be written: ${errorData(cause).message}`
  return answerError('OutcomeUnknown', message, head, facts)
}

function withQuery(search: string, { query = {} }: HttpRequest): string {
  const added = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one) => `${encodeURIComponent(name)}=${encodeURIComponent(one)}`),
  )
  if (added.length === 0) return search
  return `${search === '' ? '?' : `${search}&`}${added.join('&')}`
}

function headersOf({
  headers = {},
  'secret-headers': secrets = {},
  body,
}: HttpRequest): Readonly<Record<string, string>> {
  const inLowerCase = (entries: readonly (readonly [string, string])[]): Record<string, string> =>
    Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]))
  return {
    accept: '*/*',
    'accept-encoding': 'identity',
    'user-agent': 'opsbook',
    ...(body === undefined || body === null ? {} : { 'content-type': contentType(body) }),
    ...inLowerCase(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    ...inLowerCase(Object.entries(secrets).map(([name, { secret, prefix = '' }]) => [name, prefix + secret])),
  }
}

function contentType(body: unknown): string {
  return typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json'
}

function bodyText({ body }: HttpRequest): string | undefined {
  if (body === undefined || body === null) return undefined
  return typeof body === 'string' ? body : JSON.stringify(body)
}
