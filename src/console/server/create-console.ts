import {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
} from 'fastify'
import { renderPage } from '../pages/index.ts'
import type { PageState } from '../state.ts'
import { assetNames, assetRoutes } from './assets.ts'
import { addGuard, securityHeaders, wantsPage } from './guard.ts'
import { loginRoutes } from './login-routes.ts'
import { describeApi } from './openapi.ts'
import { emptyState, pageRoutes, stateOfSession } from './page-routes.ts'
import { ConsoleError, type Problem, problemDocument, sendProblem } from './problem.ts'
import { readRoutes } from './read-routes.ts'
import type { ConsoleReads } from './reads.ts'
import type { Route } from './route.ts'
import { createSessions, type Login, type Sessions } from './sessions.ts'
import { createFolders } from './stream/folders.ts'
import { createPulse } from './stream/pulse.ts'
import { streamRoutes } from './stream-routes.ts'

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
  /**
   * How often the inbox and the list of runs are read while a page shows them, in milliseconds.
   * @default 2000
   */
  readonly pulseMs?: number
  /** What answers, and where the runs are stored, for people. */
  readonly about: NonNullable<PageState['about']>
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
  const { reads, publicUrl, sessions = createSessions() } = options
  const app = createListener()
  addGuard(app, {
    sessions,
    ...(publicUrl === undefined ? {} : { publicUrl }),
    sendLogin: (request) => renderPage('login', emptyState('login', request), assetNames()),
  })
  addErrors(app, options)
  const { onDefect = () => {}, pulseMs = 2000 } = options
  const folders = createFolders(reads, onDefect)
  const pulses = {
    inbox: createPulse(() => reads.inbox({ limit: 200 }), pulseMs, onDefect),
    now: createPulse(() => reads.runs({ limit: 100 }), pulseMs, onDefect),
  }
  app.addHook('onClose', async () => {
    folders.close()
    for (const pulse of Object.values(pulses)) pulse.close()
  })
  const routes: readonly Route[] = [
    ...readRoutes(reads),
    ...pageRoutes(reads, folders, options),
    ...streamRoutes({ reads, folders, sessions, pulses }),
    ...loginRoutes(sessions, publicUrl),
    ...assetRoutes(),
    {
      method: 'GET',
      path: '/api/v1/openapi.json',
      access: 'viewer',
      about: 'This description.',
      answer: { type: 'object' },
      handle: async () => describeApi(routes, options.about.version),
    },
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
    // No hook sees such a request.
    frameworkErrors: ({ statusCode = 400 }, _request, reply) =>
      void sendProblem(reply.headers(securityHeaders), {
        status: statusCode,
        code: 'InvalidUsage',
        detail: 'the address of the request cannot be read',
      }),
    ajv: { customOptions: { coerceTypes: 'array', removeAdditional: false } },
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
  const answer = (request: FastifyRequest, reply: FastifyReply, problem: Problem): FastifyReply => {
    if (!wantsPage(request)) return sendProblem(reply, problem)
    try {
      const state = { ...emptyState('problem', request), data: { problem: problemDocument(problem) } }
      const page = renderPage('problem', { ...stateOfSession(request), ...state }, assetNames())
      return reply.code(problem.status).type('text/html; charset=utf-8').send(page)
    } catch (error) {
      // Without the files of the pages, for one.
      return sendProblem(reply, defect(error))
    }
  }
  app.setNotFoundHandler((request, reply) =>
    answer(request, reply, { status: 404, code: 'NotFound', detail: 'there is nothing at this address' }),
  )
  app.setErrorHandler((error: FastifyError, request, reply) =>
    answer(request, reply, readProblem(error) ?? defect(error)),
  )

  function readProblem(error: FastifyError): Problem | undefined {
    if (error instanceof ConsoleError) return error.problem
    const status = error.statusCode ?? (error.validation === undefined ? 500 : 400)
    return status < 500 ? { status, code: 'InvalidUsage', detail: error.message } : problemOf(error)
  }

  function defect(error: unknown): Problem {
    onDefect?.(error)
    return {
      status: 500,
      code: 'InternalDefect',
      detail: 'the console has failed to answer',
      hint: 'its log says why',
    }
  }
}
