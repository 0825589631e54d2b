import type { Socket } from 'node:net'
import { type FastifyInstance, type FastifyReply, fastify } from 'fastify'
import { type WebPageProblem, webPageProblem } from '../../engine/web-page-problem.ts'
import { answerFailure, failedHere, ignoringErrors, type OnFailure } from './answer-failure.ts'
import { addHealthRoutes, type HealthRoutesOptions } from './health-routes.ts'
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
    routerOptions: { maxParamLength: 64 },
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
    const problem = webPageProblem(request.headers, names)
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
