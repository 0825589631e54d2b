import { type FastifyError, type FastifyInstance, fastify } from 'fastify'
import { renderPage } from '../pages/index.ts'
import { readRoutes } from './api-routes.ts'
import { assetNames, assetRoutes } from './assets.ts'
import { addGuard } from './guard.ts'
import { loginRoutes } from './login-routes.ts'
import { emptyState, pageRoutes } from './page-routes.ts'
import { ConsoleError, type Problem, sendProblem } from './problem.ts'
import type { ConsoleReads } from './reads.ts'
import type { Route } from './route.ts'
import { createSessions, type Login, type Sessions } from './sessions.ts'

/** What a console is built from. */
export interface ConsoleOptions {
  readonly reads: ConsoleReads
  /** The problem that an error of the readers is. Undefined: it is a defect, and is logged. */
  readonly problemOf: (error: unknown) => Problem | undefined
  /** Told of defects. The answer holds nothing of them. */
  readonly onDefect?: (error: unknown) => void
  /** The address that people use, where the listener is behind a proxy. */
  readonly publicUrl?: URL
  readonly isReadOnly: boolean
  /** @default a new one */
  readonly sessions?: Sessions
}

/** A console before it listens. */
export interface Console {
  readonly app: FastifyInstance
  /** All its addresses. */
  readonly routes: readonly Route[]
  /** A code that opens one session within the next 60 seconds. */
  issueCode(login: Login): string
}

/** Builds the listener of the console. It lets nobody in without a session. */
export function createConsole(options: ConsoleOptions): Console {
  const { reads, publicUrl, isReadOnly, sessions = createSessions() } = options
  const app = createListener()
  addGuard(app, {
    sessions,
    ...(publicUrl === undefined ? {} : { publicUrl }),
    sendLogin: (request) => renderPage('login', emptyState('login', request), assetNames()),
  })
  addErrors(app, options)
  const routes = [
    ...readRoutes(reads),
    ...pageRoutes(reads, { isReadOnly }),
    ...loginRoutes(sessions, publicUrl),
    ...assetRoutes(),
  ]
  for (const route of routes) addRoute(app, route)
  return { app, routes, issueCode: sessions.issueCode }
}

/** Ids of runs on Temporal can be this long. */
const longestParameter = 1000
const mostBodyBytes = 256 * 1024

function createListener(): FastifyInstance {
  const app = fastify({
    bodyLimit: mostBodyBytes,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    requestTimeout: 15_000,
    routerOptions: { maxParamLength: longestParameter },
    return503OnClosing: true,
    http: { headersTimeout: 5000, connectionsCheckingInterval: 1000 },
    ajv: { customOptions: { coerceTypes: 'array', allErrors: false } },
  })
  app.server.maxConnections = 512
  app.removeContentTypeParser('text/plain')
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (_request: unknown, body: string) => Object.fromEntries(new URLSearchParams(body)),
  )
  return app
}

function addRoute(app: FastifyInstance, { method, path, access, query, body, handle }: Route): void {
  app.route({
    method,
    url: path,
    config: { access },
    schema: {
      ...(query === undefined
        ? {}
        : { querystring: { type: 'object', properties: query, additionalProperties: false } }),
      ...(body === undefined ? {} : { body }),
    },
    async handler(request, reply) {
      const answer = await handle(request, reply)
      return answer === undefined
        ? reply
        : reply.type('application/json; charset=utf-8').send(JSON.stringify(answer))
    },
  })
}

/** Answers errors as problems. An unexpected error is told to the operator only. */
function addErrors(app: FastifyInstance, { problemOf, onDefect }: ConsoleOptions): void {
  app.setNotFoundHandler((_, reply) =>
    sendProblem(reply, { status: 404, code: 'NotFound', detail: 'there is nothing at this address' }),
  )
  app.setErrorHandler((error: FastifyError, _, reply) => {
    if (error instanceof ConsoleError) return sendProblem(reply, error.problem)
    if (error.validation !== undefined || (error.statusCode ?? 500) < 500)
      return sendProblem(reply, {
        status: error.statusCode ?? 400,
        code: 'InvalidUsage',
        detail: error.message,
      })
    const problem = problemOf(error)
    if (problem !== undefined) return sendProblem(reply, problem)
    onDefect?.(error)
    return sendProblem(reply, {
      status: 500,
      code: 'InternalDefect',
      detail: 'the console has failed to answer',
      hint: 'its log says why',
    })
  })
}
