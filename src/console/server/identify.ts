import type { FastifyRequest } from 'fastify'
import { type TokenStore, tokenBegin } from '../store/index.ts'
import { createProxyWay, type ProxyAuth } from './auth/proxy.ts'
import type { Problem } from './problem.ts'
import type { Cookies } from './session-cookie.ts'
import type { Session, Sessions } from './sessions.ts'

/** The ways in which a request can say whose it is. */
export interface Ways {
  readonly sessions: Sessions
  readonly cookies: Cookies
  /** Left out: this console takes no tokens. */
  readonly tokens?: TokenStore
  /** Left out: no proxy logs people in. */
  readonly proxy?: ProxyAuth
  /** Left out: a new one. */
  readonly formKey?: Uint8Array
}

/**
 * Who makes a request; or why it is refused. A token counts alone, and so do the headers of the proxy: the cookie beside them
 * is not looked at.
 */
export function createIdentify({ sessions, cookies, tokens, proxy, formKey }: Ways) {
  const ofProxy = proxy === undefined ? undefined : createProxyWay(proxy, formKey)
  return (request: FastifyRequest): Session | Problem | undefined => {
    const [, token] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? []
    if (token?.startsWith(tokenBegin) === true) return ofToken(token, request, tokens)
    const proxied = ofProxy?.(request.raw)
    if (proxied !== undefined) return proxied
    const secret = cookies.read(request)
    return secret === undefined ? undefined : sessions.find(secret)
  }
}

function ofToken(token: string, { url }: FastifyRequest, tokens: TokenStore | undefined): Session | Problem {
  // Pages are for browsers, which have a session.
  if (!url.startsWith('/api/')) return refused('a token is for addresses that begin with /api/')
  const found = tokens?.find(token)
  if (found === undefined) return refused('this token is unknown, revoked or expired')
  const { by, roles } = found
  return { by, roles, isOpen: () => tokens?.find(token) !== undefined }
}

function refused(detail: string): Problem {
  return { status: 401, code: 'TokenRefused', detail, hint: '"opsbook tokens" lists those of this console' }
}
