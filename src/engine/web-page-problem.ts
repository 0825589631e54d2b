import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

/** Why a request is refused that a web page may have sent. */
export interface WebPageProblem {
  readonly status: 400 | 403 | 421
  readonly reason: string
}

/**
 * Refuses what a web page can send through the browser of a person who reaches this listener. A page whose own name
 * resolves to this machine sends that name as `Host`; any other page sends its `Origin`.
 *
 * `names` are host names of this listener, in lower case. An IP address and `localhost` need no name.
 */
export function webPageProblem(
  { headers: { host, origin }, headersDistinct }: Pick<IncomingMessage, 'headers' | 'headersDistinct'>,
  names: ReadonlySet<string>,
): WebPageProblem | undefined {
  // A proxy may go by the other one.
  if ((headersDistinct.host?.length ?? 0) > 1)
    return { status: 400, reason: 'the request names more than one host' }
  if (host !== undefined && !isOwnName(hostNameOf(host), names))
    return {
      status: 421,
      reason: 'the host name of the request is not one of this server: see --allow-host',
    }
  if (origin !== undefined && hostOf(origin) !== host?.toLowerCase())
    return { status: 403, reason: 'requests of web pages are refused' }
  return undefined
}

function isOwnName(name: string, names: ReadonlySet<string>): boolean {
  return name === 'localhost' || isIP(name) !== 0 || names.has(name)
}

/** The host without its port, in lower case; the brackets of an IPv6 address are left out. */
function hostNameOf(host: string): string {
  const name = /^\[([^\]]*)\](?::\d*)?$/.exec(host)?.[1] ?? host.replace(/:\d*$/, '')
  return name.toLowerCase().replace(/\.$/, '')
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined
}
