import type { LookupFunction } from 'node:net'
import {
  type AnswerHead,
  answerError,
  createAgents,
  proxyPasswords,
  type WireAnswer,
} from '../../api/http/index.ts'
import { createScrubber } from '../../api/secrets/index.ts'
import { type ActionDescription, safetyOf } from '../../core/action.ts'
import type { JsonObject } from '../../core/json.ts'
import { createMask, mergeSpans, secretMark } from '../../core/mask/index.ts'
import { errorData, RunbookError } from '../../core/run-error.ts'
import type { ActionAnswer, ActionContext } from '../action.ts'
import { openOutputFile } from '../output-file.ts'
import { prepareRequest } from './prepare-request.ts'
import { type AnswerFacts, readAnswer, requestIdOf } from './read-answer.ts'
import { asRequest, secretsIn } from './request.ts'
import { sendPrepared, type Way } from './send-prepared.ts'
import { unpackStream } from './unpack.ts'

/** Sends one request, and makes outputs of the answer. Rejects with a `RunbookError` that says whether it went out. */
export type SendRequest = (input: JsonObject, context: ActionContext) => Promise<ActionAnswer>

/** What sends requests: its sockets are kept for the next one, and end by themselves. */
export function createSender(action: ActionDescription, lookup: LookupFunction | undefined): SendRequest {
  const direct: Way = { agents: createAgents(undefined, { kind: 'environment' }, lookup) }
  const passwords = proxyPasswords({ kind: 'environment' })
  return (input, context) => sendRequest(action, input, context, direct, passwords)
}

async function sendRequest(
  action: ActionDescription,
  input: JsonObject,
  context: ActionContext,
  direct: Way,
  passwords: readonly string[],
): Promise<ActionAnswer> {
  const { artifacts, saveAs, mask } = context
  const connection = await context.connectHttp?.()
  const request = asRequest(input)
  const prepared = await prepareRequest(request, connection, artifacts)
  const facts: AnswerFacts = {
    origin: prepared.origin,
    request: { method: prepared.method, path: prepared.shownPath },
    ok: request.ok,
    isSaved: saveAs !== undefined,
    errors: connection?.errors ?? {},
    scrub: createScrubber([...secretsIn(request), ...passwords, ...(connection?.secrets ?? [])]),
  }
  const safety = safetyOf(action, input)
  const limit = action.limit && { ...action.limit, action: action.name }
  const timeoutMs = context.timeoutMs ?? action.defaultTimeoutMs
  const sendCall = (): Promise<WireAnswer> =>
    sendPrepared({ prepared, safety, facts, timeoutMs, limit }, connection ?? direct, context)
  if (saveAs === undefined) return readAnswer(...bodyOf(await sendCall()), facts)
  const ofProxies = createMask(passwords, secretMark)
  const file = await openOutputFile(artifacts, saveAs, {
    secretsIn: (text) => mergeSpans([...mask.secretsIn(text), ...ofProxies.secretsIn(text)]),
    reach: () => Math.max(mask.reach(), ofProxies.reach()),
  })
  try {
    const answer = await sendCall()
    // Awaited here: a refusal while the file is discarded would be one that nothing handles.
    if (answer.kind === 'body') return await readAnswer(...bodyOf(answer), facts)
    const written = await file.write(unpackStream(answer.chunks, answer.head.headers)).catch((cause) => {
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
