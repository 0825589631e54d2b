import { setSession } from './guard.ts'
import { emptyState, sendPage } from './page-routes.ts'
import { ConsoleError } from './problem.ts'
import type { Route } from './route.ts'
import { cookieName, readCookie, sessionCookie } from './session-cookie.ts'
import type { Sessions } from './sessions.ts'

/** Log in with a one-time code, and log out. Opening the address of a code changes nothing; its button does. */
export function loginRoutes(sessions: Sessions, publicUrl: URL | undefined): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/login',
      access: 'anyone',
      async handle(request, reply) {
        const { code } = request.query as { readonly code?: unknown }
        const data = typeof code === 'string' ? { code } : {}
        return sendPage(reply, { ...emptyState('login', request), path: '/login', data })
      },
    },
    {
      method: 'POST',
      path: '/login',
      access: 'anyone',
      async handle(request, reply) {
        const { body, socket } = request
        const { code } = (body ?? {}) as { readonly code?: unknown }
        const secret = typeof code === 'string' ? sessions.redeem(code) : undefined
        if (secret === undefined)
          throw new ConsoleError({
            status: 403,
            code: 'LoginRequired',
            detail: 'this code was used before, or its time is over',
            hint: '"opsbook console" prints a new address',
          })
        setSession(request, sessions.find(secret))
        await reply
          .header('set-cookie', sessionCookie(secret, socket.localPort, publicUrl))
          .redirect('/', 303)
        return undefined
      },
    },
    {
      method: 'POST',
      path: '/logout',
      access: 'viewer',
      async handle({ headers, socket }, reply) {
        const secret = readCookie(headers.cookie, cookieName(socket.localPort, publicUrl))
        if (secret !== undefined) sessions.end(secret)
        await reply
          .header('set-cookie', sessionCookie(undefined, socket.localPort, publicUrl))
          .redirect('/login', 303)
        return undefined
      },
    },
  ]
}
