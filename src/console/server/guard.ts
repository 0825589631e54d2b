import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { OwnAddress } from './own-address.ts'
import type { Problem } from './problem.ts'
import type { Access, Role } from './route.ts'
import type { Session } from './sessions.ts'

/** What the guard knows of its listener. */
export interface GuardOptions {
  readonly own: OwnAddress
  /** Who makes a request; or why it is refused. Undefined: it is not known who. */
  readonly identify: (request: FastifyRequest) => Session | Problem | undefined
  /** Where someone without a session gets one. */
  readonly wayIn: string
  /** Answers a refused request: one for a page with a page. */
  readonly refuse: (request: FastifyRequest, reply: FastifyReply, problem: Problem) => Promise<FastifyReply>
}

const sessionOf = new WeakMap<FastifyRequest, Session>()

/** The session of a request, if it has one. */
export function findSession(request: FastifyRequest): Session | undefined {
  return sessionOf.get(request)
}

/** Says whose a request is, where it has just opened a session. */
export function setSession(request: FastifyRequest, session: Session | undefined): void {
  if (session !== undefined) sessionOf.set(request, session)
}

/** The headers of every answer. Only what the console itself ships is executed, and nothing becomes markup. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  // Not "no-referrer": browsers would send forms with the origin "null".
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
}

/** The header that a page of another origin cannot send without permission, and that every JSON request needs. */
const ownHeader = 'opsbook-console'

/** The methods that change nothing. */
export const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Refuses every request that no rule lets pass: another host or origin, no session, no role, no proof of the own page. */
export function addGuard(app: FastifyInstance, options: GuardOptions): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(securityHeaders)
    // First, so that the audit knows whose session a refused request has tried to use.
    const found = options.identify(request)
    if (found !== undefined && 'by' in found) sessionOf.set(request, found)
    const problem =
      foreignProblem(request, options.own) ??
      (found !== undefined && 'status' in found ? found : accessProblem(request, options.wayIn))
    return problem === undefined ? undefined : options.refuse(request, reply, problem)
  })
  // Before the body is held against its schema: a foreign page learns nothing of that.
  app.addHook('preValidation', async (request, reply) => {
    if (safeMethods.has(request.method) || !isForm(request.headers)) return undefined
    // Who logs in again has a session, and the page of the code does not know it.
    if (request.routeOptions.config.access === 'anyone') return undefined
    const { csrf } = (request.body ?? {}) as { csrf?: unknown }
    const own = sessionOf.get(request)?.csrf
    if (own !== undefined && csrf === own) return undefined
    return options.refuse(request, reply, notOfOwnPage)
  })
}

/** Pages of other hosts and origins. A page whose own name resolves to this machine sends that name as `Host`. */
function foreignProblem(request: FastifyRequest, own: OwnAddress): Problem | undefined {
  const { origin, 'sec-fetch-site': site } = request.headers
  if ((request.raw.headersDistinct.host?.length ?? 0) > 1)
    return { status: 400, code: 'InvalidUsage', detail: 'the request names more than one host' }
  const ownOrigin = own.originOf(request)
  if (ownOrigin === undefined)
    return {
      status: 421,
      code: 'WrongHost',
      detail: 'the host name of the request is not one of this console',
      hint: 'use the address that "opsbook console" printed, or that of public-url',
    }
  if (origin !== undefined && origin !== ownOrigin) return notOfOwnPage
  if (safeMethods.has(request.method)) return undefined
  return site === undefined || site === 'same-origin' ? undefined : notOfOwnPage
}

const notOfOwnPage: Problem = {
  status: 403,
  code: 'ForeignPage',
  detail: 'the request does not come from a page of this console',
  hint: 'load the page again',
}

function accessProblem(request: FastifyRequest, wayIn: string): Problem | undefined {
  const access: Access = request.is404 ? 'viewer' : (request.routeOptions.config.access ?? 'admin')
  const session = sessionOf.get(request)
  if (access !== 'anyone') {
    if (session === undefined)
      return {
        status: 401,
        code: 'LoginRequired',
        detail: 'this request belongs to no session of the console',
        hint: wayIn,
      }
    if (!hasRole(session.roles, access)) return lacksRole(session, access)
  }
  const { headers, method } = request
  if (safeMethods.has(method)) return undefined
  const isByToken = session !== undefined && session.csrf === undefined
  if (isForm(headers) && !isByToken) return proofOfForm(request, access)
  if (!isJson(headers) && hasBody(headers))
    return { status: 415, code: 'InvalidUsage', detail: 'the request holds neither JSON nor a form' }
  return isByToken || headers[ownHeader] !== undefined ? undefined : notOfOwnPage
}

/** A form of a session proves itself by its hidden field, which is read later; one without a session by its origin. */
function proofOfForm({ headers }: FastifyRequest, access: Access): Problem | undefined {
  if (access !== 'anyone') return undefined
  return headers.origin === undefined && headers['sec-fetch-site'] === undefined ? notOfOwnPage : undefined
}

function lacksRole({ roles, csrf }: Session, role: Role): Problem {
  const hint =
    csrf === undefined
      ? '"opsbook tokens create" makes a token with other roles'
      : '"console.auth.roles" in opsbook.yaml says which groups have which role'
  const what = role === 'viewer' ? 'a role' : `the role ${role}`
  return {
    status: 403,
    code: 'RoleMissing',
    detail: `this needs ${what}, and you have ${roles.length === 0 ? 'none' : roles.join(', ')}`,
    hint,
  }
}

/** Whether someone with these roles may do what one role may. Every role may read, and an admin may do everything. */
function hasRole(roles: readonly Role[], role: Role): boolean {
  return role === 'viewer' ? roles.length > 0 : roles.includes(role) || roles.includes('admin')
}

function isForm({ 'content-type': type = '' }: IncomingHttpHeaders): boolean {
  return /^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)
}

function isJson({ 'content-type': type = '' }: IncomingHttpHeaders): boolean {
  return /^application\/json\s*(;|$)/i.test(type)
}

function hasBody({ 'content-length': length, 'transfer-encoding': encoding }: IncomingHttpHeaders): boolean {
  return encoding !== undefined || (length !== undefined && length !== '0')
}

/** Whether a browser opens the address or sends a form, as opposed to a program or a script. */
export function wantsPage({ method, url, headers }: FastifyRequest): boolean {
  const isOfPage = method === 'GET' || isForm(headers)
  return isOfPage && !url.startsWith('/api/') && (headers.accept ?? '').includes('text/html')
}
