import type { LookupFunction } from 'node:net'
import type { Dispatcher } from 'undici'
import { invalidInput } from './check-input.ts'
import { Agent, Pool, wholeUndici } from './dispatchers.ts'
import { createProxyPool, type ProxyChoice, proxyVariableProblems, proxyVariables } from './proxies.ts'
import { createRecyclingConnector } from './recycling-connector.ts'

/** The connections of one client. */
export interface Agents {
  /** Keeps connections open for the next request. */
  readonly kept: Dispatcher
  /**
   * A new connection for every request. An idle connection can be closed by the other side in the very moment a
   * request goes out, and that is not to be told from a lost answer.
   */
  readonly fresh: Dispatcher
  /** For answers of any length. A chunk that it hands over must be copied before the call returns. */
  readonly streaming: Dispatcher
  close(): Promise<void>
}

const connectTimeoutMs = 10_000

/**
 * Connections to one address, or to any where none is given. `lookup` resolves the names of direct connections. Throws
 * `InvalidInput` for a proxy that is none.
 */
export function createAgents(
  origin: string | undefined,
  proxy: ProxyChoice,
  lookup?: LookupFunction,
): Agents {
  const isByVariables = proxy.kind === 'environment' && Object.keys(proxyVariables()).length > 0
  const problems = isByVariables ? proxyVariableProblems() : []
  if (problems.length > 0) throw invalidInput('the environment', problems)

  const create = (pipelining: 0 | 1): Dispatcher => {
    const tls = { timeout: connectTimeoutMs }
    const connect = { ...tls, ...(lookup === undefined ? {} : { lookup }) }
    const proxied = { pipelining, requestTls: tls, proxyTls: tls, clientFactory: createProxyPool }
    if (proxy.kind === 'url') return new (wholeUndici().ProxyAgent)({ ...proxied, uri: proxy.url })
    if (isByVariables) return new (wholeUndici().EnvHttpProxyAgent)({ ...proxied, connect })
    return origin === undefined
      ? new Agent({ pipelining, connect })
      : new Pool(origin, { pipelining, connect })
  }
  const [kept, fresh] = [create(1), create(0)]
  const isDirect = proxy.kind !== 'url' && !isByVariables
  const streaming =
    isDirect && origin !== undefined
      ? new Pool(origin, { connect: createRecyclingConnector(connectTimeoutMs) })
      : kept
  return {
    kept,
    fresh,
    streaming,
    async close() {
      await Promise.all([...new Set([kept, fresh, streaming])].map((agent) => agent.close()))
    },
  }
}
