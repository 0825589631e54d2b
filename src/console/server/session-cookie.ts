import type { FastifyRequest } from 'fastify'
import type { OwnAddress } from './own-address.ts'

/** The cookies of a console. No script can read them. */
export interface Cookies {
  /** The secret that a request names. */
  read(request: FastifyRequest): string | undefined
  /** The header that gives a browser a secret, or takes it away. */
  write(request: FastifyRequest, secret: string | undefined): string
}

interface CookieOptions {
  /**
   * `Lax`: the browser sends it also where a page of another site has led it here.
   * @default Strict
   */
  readonly sameSite?: 'Lax' | 'Strict'
  /** @default until the browser is closed */
  readonly maxAgeSeconds?: number
}

/**
 * The cookies with this name. Behind TLS, a browser takes them from this host alone (`__Host-`, `Secure`). Browsers send
 * a cookie to all ports of a host, so that a console without TLS has its port in the name.
 */
export function createCookies(own: OwnAddress, name: string, options: CookieOptions = {}): Cookies {
  const { sameSite = 'Strict', maxAgeSeconds } = options
  const isSecure = (request: FastifyRequest): boolean => own.originOf(request)?.startsWith('https:') === true
  const nameOf = (request: FastifyRequest): string =>
    isSecure(request) ? `__Host-${name}` : `${name}-${request.socket.localPort}`
  return {
    read(request) {
      for (const pair of request.headers.cookie?.split(';') ?? []) {
        const [key, value] = pair.trim().split('=', 2)
        if (key === nameOf(request)) return value
      }
      return undefined
    },
    write(request, secret) {
      const parts = [`${nameOf(request)}=${secret ?? ''}`, 'Path=/', 'HttpOnly', `SameSite=${sameSite}`]
      if (isSecure(request)) parts.push('Secure')
      if (secret === undefined) parts.push('Max-Age=0')
      else if (maxAgeSeconds !== undefined) parts.push(`Max-Age=${maxAgeSeconds}`)
      return parts.join('; ')
    },
  }
}
