import type { FastifyReply, FastifyRequest } from 'fastify'
import type { IdTokens } from './auth/id-tokens.ts'
import { type BegunLogin, callbackPath, type OidcWay } from './auth/oidc.ts'
import { setSession } from './guard.ts'
import { loggedOutPath, showLogin } from './login-routes.ts'
import type { OwnAddress } from './own-address.ts'
import { ConsoleError, markProblem } from './problem.ts'
import type { Route } from './route.ts'
import type { Cookies } from './session-cookie.ts'
import type { Sessions } from './sessions.ts'

/** What log-ins by a provider need. */
export interface OidcRouteOptions {
  readonly way: OidcWay
  /** The host of the provider, as the page names it. */
  readonly provider: string
  readonly publicUrl: URL
  readonly own: OwnAddress
  /** Holds what the browser keeps until the log-in ends. */
  readonly pending: Cookies
  readonly sessions: Sessions
  readonly cookies: Cookies
  readonly idTokens: IdTokens
}

type Handle = (options: OidcRouteOptions, request: FastifyRequest, reply: FastifyReply) => Promise<undefined>

/** Log in by a provider of OpenID Connect: to it, and back from it. */
export function oidcRoutes(options: OidcRouteOptions): readonly Route[] {
  const by = (handle: Handle) => (request: FastifyRequest, reply: FastifyReply) =>
    handle(options, request, reply)
  return [
    { method: 'GET', path: '/login/start', access: 'anyone', handle: by(beginLogin) },
    { method: 'GET', path: callbackPath, access: 'anyone', act: 'login', handle: by(finishLogin) },
    { method: 'GET', path: loggedOutPath, access: 'anyone', handle: by(showLoggedOut) },
  ]
}

const beginLogin: Handle = async (options, request, reply) => {
  const { way, publicUrl, own, pending } = options
  const next = ownPath((request.query as { readonly next?: unknown }).next)
  // The browser keeps cookies for the address that the provider sends it back to.
  if (own.originOf(request) !== publicUrl.origin) {
    const there = new URL(`/login/start?${new URLSearchParams({ next })}`, publicUrl)
    await reply.redirect(there.href, 303)
    return
  }
  try {
    const { url, begun } = await way.begin(next)
    await reply.header('set-cookie', pending.write(request, encode(begun))).redirect(url.href, 303)
  } catch (error) {
    await explain(error, next, options, request, reply)
  }
}

const finishLogin: Handle = async (options, request, reply) => {
  const { way, publicUrl, pending, sessions, cookies, idTokens } = options
  const begun = decode(pending.read(request))
  const next = ownPath(begun?.next)
  const ended = pending.write(request, undefined)
  try {
    const parameters = new URL(request.url, publicUrl).searchParams
    const { login, untilMs, idToken } = await way.finish(parameters, begun)
    if (login.roles.length === 0) {
      setSession(request, { ...login, isOpen: () => false })
      throw withoutRole(login.by.name)
    }
    const before = cookies.read(request)
    if (before !== undefined) {
      sessions.end(before)
      idTokens.release(before)
    }
    const secret = sessions.open(login, untilMs)
    idTokens.keep(secret, idToken, untilMs)
    setSession(request, sessions.find(secret))
    // Not a redirect: browsers would leave out the cookie, since the provider has begun the request.
    reply.headers({ 'set-cookie': [ended, cookies.write(request, secret)], refresh: `0; url=${next}` })
    await showLogin(request, reply, { next, name: login.by.name })
  } catch (error) {
    reply.header('set-cookie', ended)
    await explain(error, next, options, request, reply)
  }
}

const showLoggedOut: Handle = async ({ way, provider, idTokens }, request, reply) => {
  const { of } = request.query as { readonly of?: unknown }
  const url = await way.end(typeof of === 'string' ? idTokens.take(of) : undefined)
  // Not a redirect: browsers let no form lead to another site, and that of the log-out has led here.
  if (url !== undefined) reply.header('refresh', `0; url=${url.href}`)
  return showLogin(request, reply, { provider, title: 'You have logged out' })
}

/** Answers with the page of the log-in, and what went wrong. */
async function explain(
  error: unknown,
  next: string,
  { provider }: OidcRouteOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<undefined> {
  if (!(error instanceof ConsoleError)) throw error
  const { status, code, detail, hint } = error.problem
  markProblem(reply, error.problem)
  const problem = { status, code, detail, ...(hint === undefined ? {} : { hint }) }
  return showLogin(request, reply, { provider, next, problem })
}

/** The path of this console to show after a log-in: where someone wanted to go, if that is a page here. */
export function ownPath(next: unknown): string {
  if (typeof next !== 'string' || next.length > longestPath || !next.startsWith('/')) return '/'
  const here = 'https://console.invalid'
  if (!URL.canParse(next, here)) return '/'
  const { origin, pathname, search } = new URL(next, here)
  const isPage =
    origin === here && !pathname.startsWith('//') && !/^\/(api|login|logout|assets)(\/|$)/.test(pathname)
  return isPage ? pathname + search : '/'
}

/** Browsers keep cookies up to 4 KB. */
const longestPath = 1500

function withoutRole(name: string): ConsoleError {
  return new ConsoleError({
    status: 403,
    code: 'RoleMissing',
    detail: `you have logged in as ${name}, and none of your groups has a role here`,
    hint: '"console.auth.roles" in opsbook.yaml says which groups have which role',
  })
}

function encode(begun: BegunLogin): string {
  return Buffer.from(JSON.stringify(begun)).toString('base64url')
}

/** Undefined: the browser has begun no log-in, or keeps something else. */
function decode(kept: string | undefined): BegunLogin | undefined {
  if (kept === undefined) return undefined
  try {
    const { state, nonce, verifier, next } = JSON.parse(
      Buffer.from(kept, 'base64url').toString(),
    ) as BegunLogin
    const isWhole = [state, nonce, verifier, next].every((text) => typeof text === 'string' && text !== '')
    return isWhole ? { state, nonce, verifier, next } : undefined
  } catch {
    return undefined
  }
}
