import { type AnswerHead, answerError, type BodyUse } from '../../api/answer-head.ts'
import { headerValue, requestIdHeader } from '../../api/headers.ts'
import { mostLevels } from '../../api/is-deeper.ts'
import type { Scrubber } from '../../api/scrub.ts'
import type { ErrorCode } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import type { RunbookError } from '../../core/run-error.ts'
import type { ActionAnswer } from '../action.ts'
import { answerDetails, type RequestFacts } from './answer-details.ts'
import { readBody } from './read-body.ts'
import { serverMessage } from './server-message.ts'

/** What is needed to judge an answer. */
export interface AnswerFacts {
  readonly origin: string
  readonly request: RequestFacts
  /** The statuses that are a success; left out: 200 to 299. */
  readonly ok: readonly number[] | undefined
  /** A success goes to a file. */
  readonly isSaved: boolean
  readonly scrub: Scrubber
}

/** What an answer may be that a journal takes, in bytes. */
const mostBytes = 1024 * 1024
/** What is read of an answer that is no success: enough for what it says. */
const mostErrorBytes = 64 * 1024

/** Refuses a redirect before its body is read: it would carry the headers to another address. */
export function judgeStatus(head: AnswerHead, facts: AnswerFacts): BodyUse {
  const { status, headers } = head
  if (isOk(status, facts)) return facts.isSaved ? 'stream' : { first: mostBytes + 1 }
  if (status < 300 || status >= 400) return { first: mostErrorBytes }
  const location = headerValue(headers, 'location')
  // Only the origin: the rest may repeat a secret.
  const target = location && URL.canParse(location) ? ` to ${new URL(location).origin}` : ''
  const message = `HTTP ${status} redirects${target}; a redirect is not followed, since it would carry the headers along (${facts.origin})`
  throw answerError('RedirectRefused', message, head, facts, { details: { ...facts.request, status } })
}

/** The outputs, or the error that the status is. */
export function readAnswer(body: Buffer, head: AnswerHead, facts: AnswerFacts): ActionAnswer {
  const { status } = head
  if (!isOk(status, facts)) throw statusError(body, head, facts)
  if (body.length > mostBytes) throw unkept('larger than 1 MiB', head, facts)
  const read = readBody(body, head.headers)
  if (read.isTooDeep) throw unkept(`JSON that is nested deeper than ${mostLevels} levels`, head, facts)
  const output: JsonObject = { status, headers: headersOf(head), body: read.value }
  return { output, warnings: read.warnings.map(facts.scrub.text), ...requestIdOf(head, facts) }
}

/** The id of the request, for those who report it. */
export function requestIdOf(
  { headers }: AnswerHead,
  { scrub }: AnswerFacts,
): Pick<ActionAnswer, 'requestId'> {
  const requestId = requestIdHeader(headers)
  return requestId ? { requestId: scrub.text(requestId) } : {}
}

/** What was asked is done, and the answer is of no use to a run. */
function unkept(what: string, head: AnswerHead, facts: AnswerFacts): RunbookError {
  const message = `the answer is ${what} (${facts.origin}); write it to a file with save-as`
  return answerError('OutputTooLarge', message, head, facts)
}

function isOk(status: number, { ok }: AnswerFacts): boolean {
  return ok ? ok.includes(status) : status >= 200 && status < 300
}

function headersOf({ headers }: AnswerHead): JsonObject {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]))
}

function statusError(body: Buffer, head: AnswerHead, facts: AnswerFacts): RunbookError {
  const { status } = head
  const said = serverMessage(body, head.headers)
  const message = `HTTP ${status}${said === undefined ? '' : `: ${said}`} (${facts.origin})`
  const details = answerDetails(facts.request, body, head, facts.scrub)
  return answerError(codeOf(status), message, head, facts, { details })
}

/** A request that came too late or not whole may have been acted on all the same. */
const doubtful = 408

function codeOf(status: number): ErrorCode {
  if (status === 429) return 'RequestTooFrequently'
  return status >= 400 && status < 500 && status !== doubtful ? 'HttpRefused' : 'HttpFailed'
}
