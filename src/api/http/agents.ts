import { createRequire } from 'node:module'
import { isIPv6, type LookupFunction } from 'node:net'
import type * as Undici from 'undici'
import type { Dispatcher, Pool as PoolOfUndici } from 'undici'
import type { InputProblem } from '../../core/action.ts'
import { invalidInput } from '../validation/check-input.ts'

/** The connections of one client. */
export interface Agents {
  /** Keeps connections open for the next request. */
  readonly kept: Dispatcher
  /**
   * A new connection for every request. The other side can close an idle connection while a request leaves, which
   * looks like a lost answer.
   */
  readonly fresh: Dispatcher
  close(): Promise<void>
}

/** Certificates and a key in PEM. */
export interface TlsOptions {
  /** The certificate authorities to trust, in place of the public ones. */
  readonly ca?: string
  /** The certificate of the client, and its key. */
  readonly cert?: string
  readonly key?: string
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
  ownTls: TlsOptions = {},
): Agents {
  const isByVariables = proxy.kind === 'environment' && Object.keys(proxyVariables()).length > 0
  const problems = isByVariables ? proxyVariableProblems() : []
  if (problems.length > 0) throw invalidInput('the environment', problems)

  const create = (pipelining: 0 | 1): Dispatcher => {
    const tls = { timeout: connectTimeoutMs }
    const connect = { ...tls, ...ownTls, ...(lookup === undefined ? {} : { lookup }) }
    const proxied = {
      pipelining,
      requestTls: { ...tls, ...ownTls },
      proxyTls: tls,
      clientFactory: createProxyPool,
    }
    if (proxy.kind === 'url') return new (wholeUndici().ProxyAgent)({ ...proxied, uri: proxy.url })
    if (isByVariables)
      return new (wholeUndici().EnvHttpProxyAgent)({ ...proxied, connect, noProxy: noProxy() })
    return origin === undefined
      ? new (agentOfUndici())({ pipelining, connect })
      : new (poolOfUndici())(origin, { pipelining, connect })
  }
  const [kept, fresh] = [create(1), create(0)]
  return {
    kept,
    fresh,
    async close() {
      await Promise.all([kept.close(), fresh.close()])
    },
  }
}

const require: NodeJS.Require = createRequire(import.meta.url)

/** Loaded with the first connection: most commands send nothing. */
function agentOfUndici(): typeof Undici.Agent {
  return load('dispatcher/agent.js', 'Agent')
}

function poolOfUndici(): typeof Undici.Pool {
  return load('dispatcher/pool.js', 'Pool')
}

/** All of undici: with a proxy, pools need its global setup. */
function wholeUndici(): typeof Undici {
  return require('undici')
}

function load<Name extends keyof typeof Undici>(file: string, name: Name): (typeof Undici)[Name] {
  try {
    return require(`undici/lib/${file}`)
  } catch {
    return wholeUndici()[name]
  }
}

/** How the service is reached: by the environment variables, through this proxy, or directly. */
export type ProxyChoice =
  | { readonly kind: 'environment' }
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'none' }

export function isProxyUrl(value: unknown): value is string {
  if (typeof value !== 'string' || !/^https?:\/\//i.test(value) || !URL.canParse(value)) return false
  const { username, password, pathname, search, hash } = new URL(value)
  // With a path undici throws an error that does not say what is wrong.
  return ['', '/'].includes(pathname + search + hash) && isDecodable(username) && isDecodable(password)
}

/** A `%` without a code is ambiguous. */
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** The addresses in the proxy variables, by variable name; lower case takes precedence. */
export function proxyVariables(): Readonly<Record<string, string>> {
  const found = ['http_proxy', 'https_proxy'].flatMap((name) => {
    const used = process.env[name] === undefined ? name.toUpperCase() : name
    const value = process.env[used]
    return value ? [[used, value]] : []
  })
  return Object.fromEntries(found)
}

/** The hosts that are reached directly. An address of IPv6 is written as in an URL there, which libraries compare it with. */
export function noProxy(): string {
  const given = process.env['no_proxy'] ?? process.env['NO_PROXY'] ?? ''
  return given
    .split(/[,\s]+/)
    .flatMap(inUrl)
    .join(',')
}

function inUrl(entry: string): readonly string[] {
  const [, address = entry, port] = /^\[(.*)\](?::(\d+))?$/.exec(entry) ?? []
  // The last number can be a port, too.
  const [, before = '', last] = /^(.*):(\d+)$/.exec(address) ?? []
  if (!isIPv6(address) && !isIPv6(before)) return [entry]
  const host = (of: string): string => new URL(`http://[${of}]`).hostname
  if (port !== undefined) return [`${host(address)}:${port}`]
  return [...(isIPv6(address) ? [host(address)] : []), ...(isIPv6(before) ? [`${host(before)}:${last}`] : [])]
}

/** What is wrong with the variables. An address is not quoted: it can hold a password. */
function proxyVariableProblems(): readonly InputProblem[] {
  return Object.entries(proxyVariables())
    .filter(([, value]) => !isProxyUrl(value))
    .map(([path]) => ({
      path,
      message:
        'must be the URL of an HTTP proxy, such as "http://proxy.example.com:8080"; % in a name or password is %25',
    }))
}

/** The password of a proxy, encoded and decoded. */
export function proxyPasswords(choice: ProxyChoice): readonly string[] {
  const urls = choice.kind === 'url' ? [choice.url] : Object.values(proxyVariables())
  return urls.filter(isProxyUrl).flatMap((url) => {
    const { password } = new URL(url)
    return password === '' ? [] : [password, decodeURIComponent(password)]
  })
}

const proxyAnswerTimeoutMs = 10_000

/** The code of a failure that is the proxy's own. */
export const proxyFailureCode = 'PROXY_FAILED'

/**
 * The connections to a proxy. A proxy that hangs up has a code of its own: with the code of undici, undici would
 * retry the connection without end (`onError` in its `lib/dispatcher/client.js`).
 */
function createProxyPool(origin: URL, options: object): PoolOfUndici {
  const pool = new (poolOfUndici())(origin, { ...options, headersTimeout: proxyAnswerTimeoutMs })
  const connect = pool.connect.bind(pool) as (request: Dispatcher.ConnectOptions) => Promise<unknown>
  const connectOrFail = async (request: Dispatcher.ConnectOptions): Promise<unknown> => {
    try {
      return await connect(request)
    } catch (error) {
      throw isProxyFailure(error) ? Object.assign(error, { code: proxyFailureCode }) : error
    }
  }
  return Object.assign(pool, { connect: connectOrFail })
}

function isProxyFailure(error: unknown): error is Error {
  if (!(error instanceof Error)) return false
  const code: unknown = 'code' in error ? error.code : undefined
  const isLate = code === 'UND_ERR_CONNECT_TIMEOUT'
  return (
    error.name === 'HTTPParserError' || (typeof code === 'string' && code.startsWith('UND_ERR_') && !isLate)
  )
}
