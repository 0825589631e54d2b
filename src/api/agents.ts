import { type Dispatcher, EnvHttpProxyAgent, Pool, ProxyAgent } from 'undici'
import { RunbookError } from '../core/run-error.ts'

/** The connections of one client. */
export interface Agents {
  /** Keeps connections open for the next request. */
  readonly kept: Dispatcher
  /**
   * A new connection for every request. An idle connection can be closed by the other side in the very moment a
   * request goes out, and that is not to be told from a lost answer.
   */
  readonly fresh: Dispatcher
}

/** How the service is reached: by the usual variables, through this proxy, or directly. */
export type ProxyChoice =
  | { readonly kind: 'environment' }
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'none' }

const connectTimeoutMs = 10_000
const proxyVariables = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY']

export function createAgents(origin: string, proxy: ProxyChoice): Agents {
  const isProxied = proxyVariables.some((name) => process.env[name])
  const create = (pipelining: 0 | 1): Dispatcher => {
    const connect = { timeout: connectTimeoutMs }
    const proxied = { pipelining, requestTls: connect, proxyTls: connect }
    if (proxy.kind === 'url') return new ProxyAgent({ ...proxied, uri: proxy.url })
    if (proxy.kind === 'environment' && isProxied) return new EnvHttpProxyAgent({ ...proxied, connect })
    return new Pool(origin, { pipelining, connect })
  }
  try {
    return { kept: create(1), fresh: create(0) }
  } catch {
    // The error quotes the address, which can hold a password.
    throw new RunbookError('InvalidInput', 'HTTP_PROXY, HTTPS_PROXY: not the address of a proxy', {
      notSent: true,
    })
  }
}
