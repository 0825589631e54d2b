import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { isLoopback } from '../../read-listen.ts'

/** Who may use the codec server. */
export interface GuardOptions {
  /** Origins of web pages that may read answers, such as `http://localhost:8233`. */
  readonly origins: readonly string[]
  /** Asked of every request as `Authorization: Bearer`. Without it the codec server listens on this machine only. */
  readonly token: string | undefined
}

/** A request that is refused: the status and the fixed text that it is answered with. */
export interface Refusal {
  readonly status: 401 | 403
  readonly error: string
}

/**
 * Judges a request by its headers, before a byte of its body is read. Without a token the `Host` header must name this
 * machine: otherwise a page whose name resolves to 127.0.0.1 could read payloads.
 */
export function createGuard({ origins, token }: GuardOptions) {
  const expected = token === undefined ? undefined : digest(`Bearer ${token}`)
  return (headers: IncomingHttpHeaders, isPreflight: boolean): Refusal | undefined => {
    const { host = '', origin, authorization = '' } = headers
    if (origin !== undefined && !origins.includes(origin))
      return { status: 403, error: 'this origin is not allowed; --origin names those that are' }
    if (expected === undefined)
      return isLoopback(hostName(host))
        ? undefined
        : { status: 403, error: 'the Host header does not name this machine' }
    // Browsers send no credentials with a preflight request.
    if (isPreflight || timingSafeEqual(digest(authorization), expected)) return undefined
    return { status: 401, error: 'the token is missing or wrong' }
  }
}

function hostName(host: string): string {
  return host
    .replace(/:\d+$/, '')
    .replace(/^\[|\]$/g, '')
    .toLowerCase()
}

/** Digests have one length, so a comparison says nothing of the length of the token. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
