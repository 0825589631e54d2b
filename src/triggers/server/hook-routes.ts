import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { exactSize } from '../../core/text/index.ts'
import type { EventDecision, EventEvaluation, EventRecord, NoStartReason } from '../../core/triggers/index.ts'
import { type EvaluateOptions, evaluateEvent } from '../evaluate/evaluate-event.ts'
import { type Authenticate, createAuthenticate } from '../webhooks/authenticate.ts'
import { type Hook, readDelivery } from '../webhooks/read-delivery.ts'
import {
  type CallbackPort,
  callbackRoute,
  callbacksName,
  readCallback,
  readCallbackEvent,
} from './callback-routes.ts'
import {
  type DeliveryListener,
  failDelivery,
  refuseDelivery,
  refuseForNow,
  reportAnswer,
} from './delivery-answer.ts'
import { addBodyReader, mostBodyBytes } from './read-body.ts'

/** What hooks are served with. */
export interface HookRoutesOptions extends EvaluateOptions, DeliveryListener {
  readonly hooks: readonly Hook[]
  readonly callbacks: CallbackPort
  /** Records the event and decides its starts. After a rejection the sender retries. */
  readonly evaluation: (evaluation: EventEvaluation) => Promise<EventRecord>
  /** Set while the process stops: no more deliveries are accepted. */
  readonly isStopping: () => boolean
  /**
   * How many bytes all bodies in progress may take together.
   * @default 64 MiB
   */
  readonly mostHeldBytes?: number
  readonly now?: () => number
}

const hookRoute = '/hooks/:name'

interface ServedHook {
  readonly hook: Hook
  readonly authenticate: Authenticate
}

interface Served extends HookRoutesOptions {
  readonly byName: ReadonlyMap<string, ServedHook>
}

type Handle = (served: Served, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

/** `POST /hooks/NAME`, and `/callbacks/RUN/NAME/TOKEN`: every check in its order, then the decision, which is on disk before it is answered. */
export function addHookRoutes(app: FastifyInstance, options: HookRoutesOptions): void {
  const hooks = options.hooks.map((hook) => ({ hook, authenticate: createAuthenticate(hook.auth) }))
  const served: Served = { ...options, byName: new Map(hooks.map((one) => [one.hook.name, one])) }
  addBodyReader(app, options.mostHeldBytes ?? 64 * 1024 * 1024)
  app.addHook('onRequest', async (request, reply) => refuseUnread(served, request, reply))
  app.setErrorHandler((error: Error & { readonly statusCode?: number }, request, reply) =>
    answerError(served, error, request, reply),
  )
  app.post(hookRoute, (request, reply) => takeDelivery(served, request, reply))
  app.route({
    method: ['POST', 'PUT'],
    url: callbackRoute,
    handler: (request, reply) => takeCallback(served, request, reply),
  })
}

/** Refuses what can be refused before the body is read. */
function refuseUnread(
  served: Served,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply | undefined {
  if (request.is404) return refuseDelivery(served, reply, 404, nothingHere)
  // By the matched route: a path can be written in more than one way.
  const { url } = request.routeOptions
  if (url !== hookRoute && url !== callbackRoute) return undefined
  const name = nameOf(request)
  if (url === callbackRoute && !readCallback(request, served.callbacks)) {
    reportAnswer(served, { status: 404, reason: 'the token is not that of a callback', hook: name })
    return reply.code(404).send({ error: nothingHere })
  }
  if (url === hookRoute && !served.byName.has(name)) return refuseDelivery(served, reply, 404, noHook)
  if (served.isStopping()) return refuseForNow(served, reply, name)
  const unfit = unfitContent(request, served.byName.get(name)?.hook.contentType)
  return unfit === undefined ? undefined : refuseDelivery(served, reply, 415, unfit, name)
}

function answerError(
  served: Served,
  error: Error & { readonly statusCode?: number },
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const isKnown = served.byName.has(nameOf(request)) || request.routeOptions.url === callbackRoute
  const hook = isKnown ? nameOf(request) : undefined
  const { statusCode: status = 500 } = error
  if (status === 503 && hook !== undefined)
    return refuseForNow(served, reply.header('connection', 'close'), hook)
  if (status >= 500) return failDelivery(served, reply, error, hook)
  // The rest of the body is not read.
  if (status === 413) reply.header('connection', 'close')
  return refuseDelivery(served, reply, status, reasons[status] ?? 'the request cannot be read', hook)
}

const takeDelivery: Handle = async (served, request, reply) => {
  const { now = Date.now } = served
  const name = nameOf(request)
  const found = served.byName.get(name)
  if (!found) return refuseDelivery(served, reply, 404, noHook)
  const body = bodyOf(request)
  // First: signatures are made of texts.
  if (!isUtf8(body)) return refuseDelivery(served, reply, 400, 'the body is not UTF-8', name)
  if (!found.authenticate(request.headers, body))
    return refuseDelivery(served, reply, 401, 'the delivery is not authenticated', name)
  const read = readDelivery(found.hook, request.headers, body, now())
  if ('refusal' in read) return refuseDelivery(served, reply, 400, read.refusal, name)
  try {
    const event = await served.evaluation(evaluateEvent(read.event, served))
    reportAnswer(served, { hook: name, status: 200, event })
    return reply.code(200).send(answerStarts(event))
  } catch (error) {
    return failDelivery(served, reply, error, name, true)
  }
}

const takeCallback: Handle = async (served, request, reply) => {
  const { callbacks, now = Date.now } = served
  const callback = readCallback(request, callbacks)
  if (!callback) return reply.code(404).send({ error: nothingHere })
  const body = bodyOf(request)
  const read = readCallbackEvent(callback, body, now(), served)
  if ('refusal' in read) return refuseDelivery(served, reply, 400, read.refusal, callbacksName)
  const { evaluation } = read
  try {
    const isOver =
      (await callbacks.hasEnded(callback.runId)) &&
      !(await callbacks.isKnown(callback.hook, evaluation.event.id))
    if (isOver) return refuseDelivery(served, reply, 410, 'the run has ended', callbacksName)
    const event = await served.evaluation(evaluation)
    reportAnswer(served, { hook: callbacksName, status: 200, event })
    return reply.code(200).send({ event_id: event.event_id, run_id: callback.runId })
  } catch (error) {
    return failDelivery(served, reply, error, callbacksName, true)
  }
}

function bodyOf({ body }: FastifyRequest): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0)
}

const nothingHere = 'there is nothing at this address'
const noHook = 'there is no such hook'

const reasons: Readonly<Record<number, string>> = {
  408: 'the request took too long',
  413: `the body is larger than ${exactSize(mostBodyBytes)}`,
  415: 'the body must be JSON: content-type application/json, or the one of the hook',
}

function nameOf({ params, routeOptions: { url } }: FastifyRequest): string {
  if (url === callbackRoute) return callbacksName
  return String((params as { readonly name?: unknown } | undefined)?.name ?? '')
}

/** Why a body of this kind is not read. */
function unfitContent({ headers }: FastifyRequest, ofSender: string | undefined): string | undefined {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';')
  const isJson = /^application\/(?:[\w.-]+\+)?json$/.test(type.trim()) || type.trim() === ofSender
  const charset = parameters.map((one) => one.trim()).find((one) => one.startsWith('charset='))
  if (!isJson || (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset))) return reasons[415]
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? ''
  return coding === '' || coding === 'identity' ? undefined : 'the body must not be compressed'
}

/** The answer to the sender of an event. */
export interface StartsAnswer {
  readonly event_id: string
  /** One for each runbook that it could have started. */
  readonly starts: readonly (
    | { readonly runbook: string; readonly run_id: string }
    | { readonly runbook: string; readonly because: NoStartReason }
  )[]
}

/** Answers for each runbook with the trigger that started it, else with one whose condition was true. */
function answerStarts({ event_id, starts }: EventRecord): StartsAnswer {
  const runbooks = [...new Set(starts.map(({ runbook }) => runbook))]
  return {
    event_id,
    starts: runbooks.map((runbook) => {
      const decisions = starts.filter((decision) => decision.runbook === runbook)
      const { run_id = '', because } =
        decisions.find(isStart) ?? decisions.find(isClose) ?? decisions[0] ?? {}
      return because === undefined ? { runbook, run_id } : { runbook, because }
    }),
  }
}

function isStart({ because }: EventDecision): boolean {
  return because === undefined
}

function isClose({ because }: EventDecision): boolean {
  return because !== 'where_false'
}
