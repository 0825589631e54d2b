import type { Socket } from 'node:net'
import { type FastifyInstance, type FastifyReply, fastify } from 'fastify'
import { type WebPageProblem, webPageProblem } from '../../engine/index.ts'
import { answerFailure, failedHere, ignoringErrors, type OnFailure } from './answer-failure.ts'
import { addHookRoutes, type HookRoutesOptions } from './hook-routes.ts'
import { mostBodyBytes } from './read-body.ts'

/** What every listener of `serve` is built with. */
export interface ListenerOptions {
  /** Host names that requests may name, besides IP addresses and `localhost`. */
  readonly hostNames?: readonly string[]
  /**
   * How long a sender may take for its headers, and for the whole of a request, in milliseconds.
   * @default 5000 and 15000
   */
  readonly limitsMs?: { readonly headers: number; readonly request: number }
  /**
   * Further connections are closed.
   * @default 512
   */
  readonly mostConnections?: number
}

/** What the HTTP side is built from. */
export interface AppOptions extends ListenerOptions, HookRoutesOptions, HealthRoutesOptions {
  /** Health and metrics have a listener of their own: {@link createHealthApp}. */
  readonly isHealthApart?: boolean
}

/** Builds the listener of the hooks, with health and metrics unless these are apart. */
export function createApp(options: AppOptions): FastifyInstance {
  const app = createListener(options, ({ status, reason }) =>
    ignoringErrors(() => options.onAnswer({ status, reason })),
  )
  if (!options.isHealthApart) addHealthRoutes(app, options)
  addHookRoutes(app, options)
  return app
}

/** Builds the listener of health and metrics. */
export function createHealthApp(
  options: ListenerOptions & HealthRoutesOptions & { readonly onFailure?: OnFailure },
): FastifyInstance {
  const app = createListener(options)
  app.setNotFoundHandler((_, reply) => reply.code(404).send({ error: 'there is nothing at this address' }))
  app.setErrorHandler((error, _, reply) =>
    answerFailure(reply, { status: 500, reason: failedHere, error }, options.onFailure),
  )
  addHealthRoutes(app, options)
  return app
}

/** Ids of runs on Temporal can be this long. */
const longestParameter = 1000

function createListener(
  { hostNames = [], limitsMs, mostConnections = 512 }: ListenerOptions,
  onRefused: (problem: WebPageProblem) => void = () => {},
): FastifyInstance {
  const { headers, request } = limitsMs ?? { headers: 5000, request: 15_000 }
  const app = fastify({
    bodyLimit: mostBodyBytes,
    exposeHeadRoutes: false,
    forceCloseConnections: 'idle',
    requestTimeout: request,
    keepAliveTimeout: 30_000,
    routerOptions: { maxParamLength: longestParameter },
    return503OnClosing: true,
    http: { headersTimeout: headers, connectionsCheckingInterval: Math.min(1000, headers) },
    frameworkErrors: (_error, _request, reply) =>
      (reply as FastifyReply).code(400).send({ error: 'the request cannot be read' }),
    clientErrorHandler: refuseSocket,
  })
  app.server.maxConnections = mostConnections
  app.removeAllContentTypeParsers()
  const names = new Set(hostNames.map((name) => name.toLowerCase()))
  app.addHook('onRequest', async (request, reply) => {
    const problem = webPageProblem(request.raw, names)
    if (problem === undefined) return undefined
    onRefused(problem)
    return reply.code(problem.status).send({ error: problem.reason })
  })
  return app
}

const statusLines: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
}

/** Answers what is no request, or is too late, in the form of every other answer. */
function refuseSocket(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const body = JSON.stringify({ error: 'the request cannot be read' })
  const status = statusLines[error.code ?? ''] ?? '400 Bad Request'
  const head = [`HTTP/1.1 ${status}`, 'content-type: application/json; charset=utf-8', 'connection: close']
  socket.end([...head, `content-length: ${body.length}`, '', body].join('\r\n'))
}

/** What is told to those who watch over `serve`. */
export interface HealthRoutesOptions {
  /** Why no event can be taken now. Undefined: one can. */
  readonly whyNotReady: () => Promise<string | undefined>
  /** In the text of Prometheus. */
  readonly metrics: () => Promise<string>
}

const text = 'text/plain; version=0.0.4; charset=utf-8'

/** `/healthz` (the process lives), `/readyz` (it can take an event) and `/metrics`. */
export function addHealthRoutes(app: FastifyInstance, { whyNotReady, metrics }: HealthRoutesOptions): void {
  // An answer costs a write, and every client that reaches the port can ask.
  const knownReason = cached(whyNotReady)
  app.get('/healthz', (_, reply) => reply.type(text).send('ok\n'))
  app.get('/readyz', async (_, reply) => {
    const reason = await knownReason()
    return reply
      .type(text)
      .code(reason === undefined ? 200 : 503)
      .send(reason === undefined ? 'ready\n' : `not ready: ${reason}\n`)
  })
  app.get('/metrics', async (_, reply) => reply.type(text).send(await metrics()))
}

/** A result is good for this long after it was found. */
const cachedMs = 1000

/** One call at a time, whose result also answers the callers of the next second. */
function cached<T>(find: () => Promise<T>): () => Promise<T> {
  let found: Promise<T> | undefined
  let goodUntilMs = 0
  return () => {
    if (found && performance.now() < goodUntilMs) return found
    goodUntilMs = Number.POSITIVE_INFINITY
    found = find().finally(() => {
      goodUntilMs = performance.now() + cachedMs
    })
    return found
  }
}
