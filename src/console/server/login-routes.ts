import type { FastifyReply, FastifyRequest } from 'fastify'
import type { StateOf } from '../pages/index.ts'
import type { IdTokens } from './auth/id-tokens.ts'
import { findSession, setSession } from './guard.ts'
import { emptyState, sendPage } from './page-routes.ts'
import { ConsoleError } from './problem.ts'
import type { Route } from './route.ts'
import type { Cookies } from './session-cookie.ts'
import type { Sessions } from './sessions.ts'

/** The page after the log-out of someone whom the provider has logged in. It leads to the provider, which ends its session. */
export const loggedOutPath = '/login/ended'

/** Who logs people in besides one-time addresses: a provider, or the proxy at the public address. */
export type WayIn = Pick<StateOf<'login'>['data'], 'provider' | 'proxy'>

/** Answers with the page of the log-in. */
export function showLogin(
  request: FastifyRequest,
  reply: FastifyReply,
  data: StateOf<'login'>['data'],
): Promise<undefined> {
  // Without what the provider has added to the address.
  return sendPage(reply, { ...emptyState('login', request), path: '/login', data })
}

/**
 * Log in with a one-time code, and log out. Opening the address of a code changes nothing; its button does. `wayIn`: who
 * else logs people in.
 */
export function loginRoutes(
  sessions: Sessions,
  cookies: Cookies,
  wayIn: WayIn,
  idTokens: IdTokens,
): readonly Route[] {
  /** Hands a new session to the browser. The one that it had ends. */
  async function openSession(secret: string, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const before = cookies.read(request)
    if (before !== undefined) sessions.end(before)
    setSession(request, sessions.find(secret))
    await reply.header('set-cookie', cookies.write(request, secret)).redirect('/', 303)
  }
  return [
    {
      method: 'GET',
      path: '/login',
      access: 'anyone',
      async handle(request, reply) {
        const { code } = request.query as { readonly code?: unknown }
        if (typeof code === 'string') return showLogin(request, reply, { code })
        return showLogin(request, reply, wayIn)
      },
    },
    {
      method: 'POST',
      path: '/login',
      access: 'anyone',
      async handle(request, reply) {
        const { code } = (request.body ?? {}) as { readonly code?: unknown }
        const secret = typeof code === 'string' ? sessions.redeem(code) : undefined
        if (secret === undefined)
          throw new ConsoleError({
            status: 401,
            code: 'CodeNotValid',
            detail:
              'this code opens no session: it was used, its 60 seconds are over, or it was never issued',
            hint: 'open the whole address that "opsbook console" prints, within 60 seconds',
          })
        await openSession(secret, request, reply)
        return undefined
      },
    },
    {
      method: 'POST',
      path: '/logout',
      access: 'viewer',
      async handle(request, reply) {
        const secret = cookies.read(request)
        const handle = secret === undefined ? undefined : idTokens.release(secret)
        const ended = handle === undefined ? loggedOutPath : `${loggedOutPath}?of=${handle}`
        const next = findSession(request)?.isOfProvider === true ? ended : '/login'
        if (secret !== undefined) sessions.end(secret)
        await reply.header('set-cookie', cookies.write(request, undefined)).redirect(next, 303)
        return undefined
      },
    },
  ]
}
