import querystring from 'node:querystring'
import { type FastifyError, type FastifyInstance, fastify } from 'fastify'
import { isDeeper, mostLevels } from '../../core/json.ts'
import { createAjv } from '../../schema/index.ts'
import { pageSizes } from '../page-sizes.ts'
import { renderPage } from '../pages/index.ts'
import type { PageState } from '../state.ts'
import { type AuditLog, createMemorySessions, type SessionStore, type TokenStore } from '../store/index.ts'
import { actRoutes } from './act-routes.ts'
import type { ConsoleActs } from './acts.ts'
import { assetNames, assetRoutes } from './assets.ts'
import { addAudit, nameRun } from './audit-acts.ts'
import { auditRoutes } from './audit-routes.ts'
import { createIdTokens } from './auth/id-tokens.ts'
import { createOidcWay, type OidcAuth, sessionProvider } from './auth/oidc.ts'
import type { ProxyAuth } from './auth/proxy.ts'
import { decideRoutes } from './decide-routes.ts'
import { addGuard, type GuardOptions, securityHeaders, wantsPage } from './guard.ts'
import { createIdentify } from './identify.ts'
import { loginRoutes, type WayIn } from './login-routes.ts'
import { oidcRoutes, ownPath } from './oidc-routes.ts'
import { describeApi } from './openapi.ts'
import { createOwnAddress } from './own-address.ts'
import { createPages, emptyState, type Pages, pageRoutes } from './page-routes.ts'
import { ConsoleError, markProblem, type Problem, problemDocument, sendProblem } from './problem.ts'
import { problemOf } from './problem-of.ts'
import { readRoutes } from './read-routes.ts'
import type { ConsoleReads } from './reads.ts'
import { remember } from './remember.ts'
import { resumeRoutes } from './resume-routes.ts'
import type { Route } from './route.ts'
import { createCookies } from './session-cookie.ts'
import { sessionRoutes } from './session-routes.ts'
import { createSessions, type Login } from './sessions.ts'
import { startRoutes } from './start-routes.ts'
import { createFolds } from './stream/folds.ts'
import { createPulse } from './stream/pulse.ts'
import { streamRoutes } from './stream-routes.ts'
import { switchRoutes } from './switch-routes.ts'

/** What a console is built from. */
export interface ConsoleOptions {
  readonly reads: ConsoleReads
  /** Told of defects. The answer holds nothing of them. */
  readonly onDefect?: (error: unknown) => void
  /** The address that people use, where the listener is behind a proxy. */
  readonly publicUrl?: URL
  /** Left out: nobody can act. */
  readonly acts?: ConsoleActs
  /** Where acts and refused acts are recorded. Left out: nowhere. */
  readonly audit?: AuditLog
  /** Left out: it takes no tokens. */
  readonly tokens?: TokenStore
  /** How people log in, besides codes. */
  readonly auth?: OidcAuth | ProxyAuth
  /**
   * How often the inbox and the list of runs are read while a page shows them, in milliseconds.
   * @default 2000
   */
  readonly pulseMs?: number
  /** What answers, and where the runs are stored, for people. */
  readonly about: NonNullable<PageState['about']>
  /** Where the sessions of browsers are. Left out: they end with the process. */
  readonly sessions?: SessionStore
  /** Makes the hidden fields of forms, where a proxy logs people in. Left out: a new one. */
  readonly formKey?: Uint8Array
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
  const { acts, audit, tokens, auth, about, publicUrl } = options
  const { onDefect = () => {}, pulseMs = 2000 } = options
  const sessions = createSessions(options.sessions ?? createMemorySessions(), sessionProvider(auth))
  const own = createOwnAddress(publicUrl)
  const cookies = createCookies(own, 'opsbook')
  const app = createListener()
  const system = remember(options.reads.system, systemMs)
  const limits = remember(options.reads.limits, limitsMs)
  const reads: ConsoleReads = { ...options.reads, system: system.read, limits: limits.read }
  const folds = createFolds(reads, onDefect)
  const pages = createPages({ reads, folds, sessions, isReadOnly: acts === undefined, about })
  const wayIn = wayInOf(auth, publicUrl)
  const idTokens = createIdTokens()
  const refuse = createRefusal(pages, onDefect, wayIn)
  if (audit !== undefined) addAudit(app, audit, onDefect)
  addGuard(app, {
    own,
    identify: createIdentify({
      sessions,
      cookies,
      ...(tokens === undefined ? {} : { tokens }),
      ...(auth?.type === 'proxy' ? { proxy: auth } : {}),
      ...(options.formKey === undefined ? {} : { formKey: options.formKey }),
    }),
    wayIn:
      auth === undefined
        ? '"opsbook console" prints an address that opens one'
        : `${publicUrl?.href ?? 'the address of the proxy'} logs you in`,
    refuse,
  })
  addErrors(app, onDefect, refuse)
  const pulses = {
    inbox: createPulse(() => reads.inbox({ limit: pageSizes.inbox }), pulseMs, onDefect),
    now: createPulse(() => reads.runs({ limit: pageSizes.runs }), pulseMs, onDefect),
  }
  app.addHook('onClose', async () => {
    folds.close()
    for (const pulse of Object.values(pulses)) pulse.close()
  })
  const routes: readonly Route[] = [
    ...readRoutes(reads),
    ...pageRoutes(pages),
    ...(acts ? routesOfActs.flatMap((routes) => routes({ acts, reads, pages })) : []),
    ...auditRoutes(reads),
    ...streamRoutes({ reads, folds, pulses }),
    ...loginRoutes(sessions, cookies, wayIn, idTokens),
    ...(auth?.type === 'oidc' ? oidcLogin(auth) : []),
    ...(acts === undefined ? [] : sessionRoutes(sessions)),
    ...assetRoutes(),
    {
      method: 'GET',
      path: '/api/v1/openapi.json',
      access: 'viewer',
      about: 'This description.',
      answer: { type: 'object' },
      handle: async () => describeApi(routes, about.version),
    },
  ]
  for (const route of routes) addRoute(app, route)
  return { app, routes, issueCode: sessions.issueCode }

  function oidcLogin(by: OidcAuth): readonly Route[] {
    if (publicUrl === undefined) throw new Error('a log-in by a provider needs the public URL')
    const way = createOidcWay(by, publicUrl, onDefect)
    const pending = createCookies(own, 'opsbook-login', { sameSite: 'Lax', maxAgeSeconds: loginSeconds })
    return oidcRoutes({ way, provider: by.issuer.host, publicUrl, own, pending, sessions, cookies, idTokens })
  }
}

const routesOfActs = [actRoutes, switchRoutes, decideRoutes, resumeRoutes, startRoutes]

/** Who logs people in, for the page of the log-in. Empty: only one-time addresses do. */
function wayInOf(auth: ConsoleOptions['auth'], publicUrl: URL | undefined): WayIn {
  if (auth?.type === 'oidc') return { provider: auth.issuer.host }
  return auth === undefined || publicUrl === undefined ? {} : { proxy: publicUrl.href }
}

/** How long a log-in by a provider may take. */
const loginSeconds = 600

/** Ids of runs on Temporal can be this long. */
const longestParameter = 1000
const mostBodyBytes = 256 * 1024
const tooDeep = `the body is nested deeper than ${mostLevels} levels`
/** The checks of the machine ask other servers: they are made at most this often. */
const systemMs = 30_000
/** Each open page asks every 5 seconds. */
const limitsMs = 2000

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
  })
  // A query is text, so its numbers are read from it. The body of a request says what it means.
  const first = { allErrors: false, useDefaults: true }
  const ofQuery = createAjv({ ...first, coerceTypes: 'array' })
  const ofBody = createAjv(first)
  app.setValidatorCompiler(({ schema, httpPart }) => (httpPart === 'body' ? ofBody : ofQuery).compile(schema))
  app.server.maxConnections = 512
  app.removeContentTypeParser('text/plain')
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    if (!isDeeper(body)) parseJson(request, body.toString(), done)
    else done(new ConsoleError({ status: 400, code: 'InvalidUsage', detail: tooDeep }))
  })
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    // A field that is there more than once is a list.
    async (_request: unknown, body: string) => querystring.parse(body, '&', '=', { maxKeys: 0 }),
  )
  return app
}

function addRoute(app: FastifyInstance, { method, path, access, act, query, body, handle }: Route): void {
  app.route({
    method,
    url: path,
    config: { access, ...(act === undefined ? {} : { act }) },
    schema: {
      ...(query === undefined
        ? {}
        : { querystring: { type: 'object', properties: query, additionalProperties: false } }),
      ...(body === undefined ? {} : { body }),
    },
    async handler(request, reply) {
      const answer = await handle(request, reply)
      if (answer === undefined) return reply
      nameRun(request, answer)
      return reply.type('application/json; charset=utf-8').send(JSON.stringify(answer))
    },
  })
}

/** Refuses what a browser asked for with a page, and anything else with a problem. */
function createRefusal(
  pages: Pages,
  onDefect: (error: unknown) => void,
  wayIn: WayIn,
): GuardOptions['refuse'] {
  return async (request, reply, problem) => {
    if (!wantsPage(request)) return sendProblem(reply, problem)
    const name = problem.status === 401 ? 'login' : 'problem'
    const ways = wayIn.provider === undefined ? wayIn : { ...wayIn, next: ownPath(request.url) }
    // That a log-in is needed, the page says itself.
    const told = problem.code === 'LoginRequired' ? {} : { problem: problemDocument(problem) }
    const data = name === 'login' ? { ...ways, ...told } : { problem: problemDocument(problem) }
    try {
      const state = { ...emptyState(name, request), ...(await pages.frame(request)), data }
      const page = renderPage(state, assetNames())
      return markProblem(reply, problem).type('text/html; charset=utf-8').send(page)
    } catch (error) {
      // Without the files of the pages, for one.
      onDefect(error)
      return sendProblem(reply, defect)
    }
  }
}

/** Answers errors as problems. An unexpected error is told to the operator only. */
function addErrors(
  app: FastifyInstance,
  onDefect: (error: unknown) => void,
  refuse: GuardOptions['refuse'],
): void {
  app.setNotFoundHandler((request, reply) =>
    refuse(request, reply, { status: 404, code: 'NotFound', detail: 'there is nothing at this address' }),
  )
  app.setErrorHandler((error: FastifyError, request, reply) =>
    refuse(request, reply, readProblem(error) ?? toldDefect(error)),
  )

  function readProblem(error: FastifyError): Problem | undefined {
    if (error instanceof ConsoleError) return error.problem
    const status = error.statusCode ?? (error.validation === undefined ? 500 : 400)
    return status < 500 ? { status, code: 'InvalidUsage', detail: error.message } : problemOf(error)
  }

  function toldDefect(error: unknown): Problem {
    onDefect(error)
    return defect
  }
}

const defect: Problem = {
  status: 500,
  code: 'InternalDefect',
  detail: 'the console has failed to answer',
  hint: 'its log says why',
}
