import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'

/**
 * Why a request is refused that a web page may have sent through the browser of a person who runs a sandbox: a page whose
 * own name resolves to this machine sends that name as `Host`, any other page its `Origin`.
 */
export function webPageProblem(
  { host, origin }: IncomingHttpHeaders,
  names: readonly string[],
): { readonly status: 403 | 421; readonly problem: string } | undefined {
  if (host !== undefined && !isOwnName(host, names))
    return {
      status: 421,
      problem: 'the host name of the request is not one of this sandbox: see --allow-host',
    }
  const isForeign = origin !== undefined && origin !== `http://${host}`
  return isForeign ? { status: 403, problem: 'requests of web pages are refused' } : undefined
}

function isOwnName(host: string, names: readonly string[]): boolean {
  const bare = /^\[([^\]]*)\](?::\d*)?$/.exec(host)?.[1] ?? host.replace(/:\d*$/, '')
  const name = bare.toLowerCase().replace(/\.$/, '')
  return name === 'localhost' || isIP(name) !== 0 || names.some((own) => own.toLowerCase() === name)
}
