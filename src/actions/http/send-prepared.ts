import { setMaxListeners } from 'node:events'
import { type Agents, send, type WireAnswer } from '../../api/http/index.ts'
import { createPermit, joinSignals, type Permit, sendWithPermit, unlimited } from '../../api/pacing/index.ts'
import type { Safety } from '../../core/action.ts'
import { RunbookError } from '../../core/run-error.ts'
import type { ActionContext } from '../action.ts'
import type { HttpConnection, OwnLimit } from './connection/http-connection.ts'
import type { LoggedIn } from './connection/login.ts'
import type { PreparedRequest } from './prepare-request.ts'
import { type AnswerFacts, judgeStatus } from './read-answer.ts'

/** Over which sockets a request goes: those of a connection, with its limits and its log-in, or others. */
export type Way = HttpConnection | { readonly agents: Agents }

/** One request to send. */
export interface PreparedHttpCall {
  readonly prepared: PreparedRequest
  readonly safety: Safety
  readonly facts: AnswerFacts
  readonly timeoutMs: number
  /** The limits of the action, where it has any. */
  readonly limit: OwnLimit | undefined
}

type SendContext = Pick<
  ActionContext,
  'signal' | 'signalBeforeSending' | 'beforeSending' | 'onWait' | 'onWaitOver' | 'hide'
>

/**
 * Sends a request under the limits of its connection, logged in. An answer 401 to a log-in that can be renewed proves
 * that nothing was executed: the request is then sent once more.
 */
export async function sendPrepared(
  call: PreparedHttpCall,
  way: Way,
  context: SendContext,
): Promise<WireAnswer> {
  // One signal for a hundred requests is no leak, which Node would warn of from the eleventh on.
  for (const one of [context.signal, context.signalBeforeSending]) setMaxListeners(0, one)
  const first = await sendOnce(call, way, context)
  const isRefused = first.answer.head.status === 401 && call.facts.ok?.includes(401) !== true
  if (!isRefused || !first.renew()) return first.answer
  return (await sendOnce(call, way, context)).answer
}

interface Sent {
  readonly answer: WireAnswer
  /** The server refused the log-in. True: the next one can be another. */
  renew(): boolean
}

async function sendOnce(call: PreparedHttpCall, way: Way, context: SendContext): Promise<Sent> {
  const connection = 'kind' in way ? way : undefined
  let loggedIn: LoggedIn | undefined
  const take = (): Permit | Promise<Permit> =>
    connection === undefined ? createPermit(unlimited) : takePermit(connection, call.limit, context)
  const { permit, answer } = await sendWithPermit(take, async (taken) => {
    loggedIn = connection && (await logIn(call, connection, context))
    return sendNow(call, way, taken, loggedIn, context)
  })
  permit.leave()
  if (answer.head.status === 429) connection?.pause(answer.head)
  return { answer, renew: () => loggedIn !== undefined && connection?.login.renew(loggedIn) === true }
}

/** Waits until the limits of the connection allow one more request. */
async function takePermit(
  connection: HttpConnection,
  limit: OwnLimit | undefined,
  { signal, signalBeforeSending, onWait, onWaitOver }: SendContext,
): Promise<Permit> {
  const joined = joinSignals(signal, signalBeforeSending)
  let hasWaited = false
  try {
    const lease = await connection.acquire(
      {
        signal: joined.signal,
        onWait(wait) {
          hasWaited = true
          onWait(wait)
        },
      },
      limit,
    )
    return createPermit(lease)
  } finally {
    joined.release()
    if (hasWaited) onWaitOver()
  }
}

/** What the log-in adds is hidden before it is sent: the server can repeat it. */
async function logIn(
  { prepared, timeoutMs }: PreparedHttpCall,
  { login, origin }: HttpConnection,
  { hide, signal, signalBeforeSending }: SendContext,
): Promise<LoggedIn> {
  const { method, path, headers, body } = prepared
  const loggedIn = await login.logIn({ method, url: origin + path, headers, body, timeoutMs })
  for (const secret of loggedIn.secrets) hide(secret)
  if (signal.aborted || signalBeforeSending.aborted)
    throw new RunbookError('Cancelled', 'cancelled before the request was sent', { notSent: true })
  return loggedIn
}

/** The log-in takes the place of a parameter of its name, as it does of a header. */
function withQuery(path: string, query: LoggedIn['query']): string {
  if (query === undefined) return path
  const [base = '', ...given] = path.split('?')
  const isReplaced = (pair: string): boolean =>
    [...new URLSearchParams(pair).keys()].some((name) => Object.hasOwn(query, name))
  const pairs = given.join('?').split('&')
  const kept = pairs.filter((pair) => pair !== '' && !isReplaced(pair))
  const more = Object.entries(query).map((pair) => pair.map(encodeURIComponent).join('='))
  return `${base}?${[...kept, ...more].join('&')}`
}

function sendNow(
  { prepared, safety, facts, timeoutMs }: PreparedHttpCall,
  { agents }: Way,
  permit: Permit,
  loggedIn: LoggedIn | undefined,
  { signal, signalBeforeSending, beforeSending }: SendContext,
): Promise<WireAnswer> {
  const { origin, method, headers, body } = prepared
  const path = withQuery(prepared.path, loggedIn?.query)
  const scrub = loggedIn === undefined ? facts.scrub : facts.scrub.with(loggedIn.secrets)
  return send(agents, {
    origin,
    method,
    path,
    headers: { ...headers, ...loggedIn?.headers },
    body,
    connection: safety === 'create' ? 'fresh' : 'kept',
    timeoutMs,
    signal,
    signalBeforeSending,
    beforeSending: safety === 'create' ? beforeSending : undefined,
    judge: (head) => judgeStatus(head, facts),
    // The judgement of each answer says how much of it is read.
    context: { scrub, maxAnswerBytes: 0 },
    permit,
  })
}
