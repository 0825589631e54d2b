import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { nameProblem } from '../../../core/people/index.ts'
import type { Problem } from '../problem.ts'
import type { MakeLogin, Session } from '../sessions.ts'

/** A proxy that logs people in, and says who they are. */
export interface ProxyAuth {
  readonly type: 'proxy'
  /** What the proxy sends with each request, so that no other sender can name people. Left out: it comes over a unix socket. */
  readonly secret?: string
  readonly headers: {
    readonly user: string
    readonly groups: string
    readonly secret: string
    readonly address: string
  }
  /** Who someone is by what the proxy says. */
  readonly login: MakeLogin
}

/** Streams end after this time, so that the proxy is asked again, in milliseconds. */
const streamMs = 5 * 60_000

/**
 * Who makes a request, by the headers of the proxy. Undefined: it has none, or names no person. A request that names someone
 * without the secret is refused: it did not come through the proxy. Where there is no secret, every request must have come
 * over a unix socket, which only the proxy can use. `formKey`: the same after a restart, so that forms of open pages count.
 */
export function createProxyWay(
  { secret, headers, login }: ProxyAuth,
  formKey: Uint8Array = randomBytes(32),
  now: () => number = Date.now,
): (request: IncomingMessage) => Session | Problem | undefined {
  return (request) => {
    const all = (name: string): readonly string[] => request.headersDistinct[name.toLowerCase()] ?? []
    const [given, ...others] = all(headers.secret)
    const users = all(headers.user)
    const groups = all(headers.groups)
    if (given === undefined && users.length === 0 && groups.length === 0) return undefined
    const isOfProxy =
      secret === undefined
        ? request.socket.remoteAddress === undefined
        : given !== undefined && others.length === 0 && isEqual(given, secret)
    if (!isOfProxy || users.length > 1) return forged
    const name = readText(users[0] ?? '')
    if (name === '') return undefined
    const unclear = nameProblem(name)
    if (unclear !== undefined) return { ...unclearName, detail: unclear }
    const named = groups.flatMap((list) => list.split(',')).map(readText)
    // The proxy adds the address that it sees to the end.
    const address = all(headers.address).at(-1)?.split(',').at(-1)?.trim() ?? ''
    const untilMs = now() + streamMs
    return {
      ...login(
        name,
        named.filter((group) => group !== ''),
      ),
      ...(isIP(address) === 0 ? {} : { address }),
      csrf: createHmac('sha256', formKey).update(name).digest('base64url'),
      isOpen: () => now() < untilMs,
    }
  }
}

const forged: Problem = {
  status: 401,
  code: 'ProxyRefused',
  detail: 'the headers of this request name a person, and do not prove that they are of the proxy',
  hint: 'use the address of the proxy; it must send its secret, and each header once',
}

const unclearName = {
  status: 403,
  code: 'LoginRefused',
  hint: 'ask who runs the proxy to give you a name without it',
} as const

/** Header values are bytes. */
function readText(value: string): string {
  return Buffer.from(value, 'latin1').toString('utf8').trim().slice(0, 200)
}

function isEqual(given: string, expected: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(given), hash(expected))
}
