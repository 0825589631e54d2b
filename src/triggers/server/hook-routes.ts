import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { RunbookError } from '../../core/run-error.ts'
import { exactSize } from '../../core/text/index.ts'
import type { EventDecision, EventEvaluation, EventRecord, NoStartReason } from '../../core/triggers/index.ts'
import { type EvaluateOptions, evaluateEvent } from '../evaluate/evaluate-event.ts'
import { type Authenticate, createAuthenticate } from '../webhooks/authenticate.ts'
import { type Hook, readDelivery } from '../webhooks/read-delivery.ts'
import { answerFailure, failedHere, ignoringErrors, type OnFailure } from './answer-failure.ts'
import {
  type CallbackPort,
  callbackRoute,
  callbacksName,
  readCallback,
  readCallbackEvent,
} from './callback-routes.ts'
import { addBodyReader, mostBodyBytes } from './read-body.ts'

/** What hooks are served with. */
export interface HookRoutesOptions extends EvaluateOptions {
  readonly hooks: readonly Hook[]
  readonly callbacks: CallbackPort
  /** Records the event and decides its starts. After a rejection the sender retries. */
  readonly evaluation: (evaluation: EventEvaluation) => Promise<EventRecord>
  /** Set while the process stops: no more deliveries are accepted. */
  readonly isStopping: () => boolean
  /** What it throws has no effect on the answer. */
  readonly onAnswer: (answer: DeliveryAnswer) => void
  readonly onFailure?: OnFailure
  /**
   * How many bytes all bodies in progress may take together.
   * @default 64 MiB
   */
  readonly mostHeldBytes?: number
  readonly now?: () => number
}

/** The result of a delivery, for the log and the metrics. */
export type DeliveryAnswer =
  | { readonly hook: string; readonly status: 202; readonly event: EventRecord }
  /** `hook` is left out where there is none of that name. */
  | {
      readonly hook?: string
      readonly status: number
      readonly reason: string
      /** An authenticated delivery failed: the next one may fail too. */
      readonly isFailure?: true
    }

/** After how many seconds a sender may retry. */
const retryAfter = 5

const cannotBeTaken = 'no event can be taken now; come again'

const hookRoute = '/hooks/:name'

interface ServedHook {
  readonly hook: Hook
  readonly authenticate: Authenticate
}

/** `POST /hooks/NAME`, and `/callbacks/RUN/NAME/TOKEN`: every check in its order, then the decision, which is on disk before it is answered. */
export function addHookRoutes(app: FastifyInstance, options: HookRoutesOptions): void {
  const { now = Date.now } = options
  const hooks = new Map<string, ServedHook>(
    options.hooks.map((hook) => [hook.name, { hook, authenticate: createAuthenticate(hook.auth) }]),
  )
  const tell = (answer: DeliveryAnswer): void => ignoringErrors(() => options.onAnswer(answer))
  const refuse = (reply: FastifyReply, status: number, reason: string, hook?: string): FastifyReply => {
    tell({ status, reason, ...(hook === undefined ? {} : { hook }) })
    return reply.code(status).send({ error: reason })
  }
  const fail = (reply: FastifyReply, error: unknown, hook?: string, isFailure?: true): FastifyReply => {
    const status = RunbookError.is(error) ? 503 : 500
    const reason = status === 503 ? cannotBeTaken : failedHere
    const where = hook === undefined ? {} : { hook }
    // The engine itself watches whether its server is there, and is ready again as soon as it is.
    const isWatched = RunbookError.is(error) && error.code === 'TemporalUnavailable'
    tell({ status, reason, ...where, ...(isFailure && !isWatched && { isFailure }) })
    if (status === 503) reply.header('retry-after', retryAfter)
    return answerFailure(reply, { status, reason, error, ...where }, options.onFailure)
  }
  addBodyReader(app, options.mostHeldBytes ?? 64 * 1024 * 1024)
  // Before the body is read.
  app.addHook('onRequest', async (request, reply) => {
    if (request.is404) return refuse(reply, 404, nothingHere)
    // By the matched route: a path can be written in more than one way.
    const { url } = request.routeOptions
    if (url !== hookRoute && url !== callbackRoute) return undefined
    const name = nameOf(request)
    if (url === callbackRoute && !readCallback(request, options.callbacks)) {
      tell({ status: 404, reason: 'the token is not that of a callback', hook: name })
      return reply.code(404).send({ error: nothingHere })
    }
    if (url === hookRoute && !hooks.has(name)) return refuse(reply, 404, 'there is no such hook')
    if (options.isStopping()) return unavailable(reply, name)
    const unfit = unfitContent(request)
    return unfit === undefined ? undefined : refuse(reply, 415, unfit, name)
  })
  const unavailable = (reply: FastifyReply, hook: string): FastifyReply => {
    reply.header('retry-after', retryAfter)
    return refuse(reply, 503, cannotBeTaken, hook)
  }
  app.setErrorHandler((error: Error & { readonly statusCode?: number }, request, reply) => {
    const isKnown = hooks.has(nameOf(request)) || request.routeOptions.url === callbackRoute
    const hook = isKnown ? nameOf(request) : undefined
    const { statusCode: status = 500 } = error
    if (status === 503 && hook !== undefined) return unavailable(reply.header('connection', 'close'), hook)
    if (status >= 500) return fail(reply, error, hook)
    // The rest of the body is not read.
    if (status === 413) reply.header('connection', 'close')
    return refuse(reply, status, reasons[status] ?? 'the request cannot be read', hook)
  })
  app.post(hookRoute, async (request, reply) => {
    const name = nameOf(request)
    const served = hooks.get(name)
    if (!served) return refuse(reply, 404, 'there is no such hook')
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
    const { hook, authenticate } = served
    // First: signatures are made of texts.
    if (!isUtf8(body)) return refuse(reply, 400, 'the body is not UTF-8', name)
    if (!authenticate(request.headers, body))
      return refuse(reply, 401, 'the delivery is not authenticated', name)
    const read = readDelivery(hook, request.headers, body, now())
    if ('refusal' in read) return refuse(reply, 400, read.refusal, name)
    try {
      const event = await options.evaluation(evaluateEvent(read.event, options))
      tell({ hook: name, status: 202, event })
      return reply.code(202).send(answerStarts(event))
    } catch (error) {
      return fail(reply, error, name, true)
    }
  })
  app.route({
    method: ['POST', 'PUT'],
    url: callbackRoute,
    async handler(request, reply) {
      const { callbacks } = options
      const callback = readCallback(request, callbacks)
      if (!callback) return reply.code(404).send({ error: nothingHere })
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      if (!isUtf8(body)) return refuse(reply, 400, 'the body is not UTF-8', callbacksName)
      const read = readCallbackEvent(callback, body, now(), options)
      if ('refusal' in read) return refuse(reply, 400, read.refusal, callbacksName)
      const { evaluation } = read
      try {
        const isOver =
          (await callbacks.hasEnded(callback.runId)) &&
          !(await callbacks.isKnown(callback.hook, evaluation.event.id))
        if (isOver) return refuse(reply, 410, 'the run has ended', callbacksName)
        const event = await options.evaluation(evaluation)
        tell({ hook: callbacksName, status: 202, event })
        return reply.code(202).send({ event_id: event.event_id, run_id: callback.runId })
      } catch (error) {
        return fail(reply, error, callbacksName, true)
      }
    },
  })
}

const nothingHere = 'there is nothing at this address'

const reasons: Readonly<Record<number, string>> = {
  408: 'the request took too long',
  413: `the body is larger than ${exactSize(mostBodyBytes)}`,
  415: 'the body must be JSON: content-type application/json',
}

function nameOf({ params, routeOptions: { url } }: FastifyRequest): string {
  if (url === callbackRoute) return callbacksName
  return String((params as { readonly name?: unknown } | undefined)?.name ?? '')
}

/** Why a body of this kind is not read. */
function unfitContent({ headers }: FastifyRequest): string | undefined {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';')
  const isJson = /^application\/(?:[\w.-]+\+)?json$/.test(type.trim())
  const charset = parameters.map((one) => one.trim()).find((one) => one.startsWith('charset='))
  if (!isJson || (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset))) return reasons[415]
  return headers['content-encoding'] === undefined ? undefined : 'the body must not be compressed'
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
