import type { Dispatcher, Pool as PoolOfUndici } from 'undici'
import type { InputProblem } from '../core/action.ts'
import { Pool } from './dispatchers.ts'

/** How the service is reached: by the usual variables, through this proxy, or directly. */
export type ProxyChoice =
  | { readonly kind: 'environment' }
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'none' }

export function isProxyUrl(value: unknown): value is string {
  if (typeof value !== 'string' || !/^(https?|socks5?):\/\//i.test(value) || !URL.canParse(value))
    return false
  const { username, password } = new URL(value)
  return isDecodable(username) && isDecodable(password)
}

/** A `%` that begins no code cannot be told from one that does. */
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** The addresses that the usual variables hold, by the names of these; small letters first, as everywhere. */
export function proxyVariables(): Readonly<Record<string, string>> {
  const found = ['http_proxy', 'https_proxy'].flatMap((name) => {
    const used = process.env[name] === undefined ? name.toUpperCase() : name
    const value = process.env[used]
    return value ? [[used, value]] : []
  })
  return Object.fromEntries(found)
}

/** What is wrong with the variables. An address is not quoted: it can hold a password. */
export function proxyVariableProblems(): readonly InputProblem[] {
  return Object.entries(proxyVariables())
    .filter(([, value]) => !isProxyUrl(value))
    .map(([path]) => ({
      path,
      message:
        'must be the URL of a proxy, such as "http://proxy.example.com:8080"; % in a name or password is %25',
    }))
}

/** The password of a proxy, as it is written and as it is meant. */
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
 * The connections to a proxy. A proxy that hangs up gets a code of its own: with the one that undici gives it, undici
 * takes the connection for lost and tries again without end (`onError` in its `lib/dispatcher/client.js`).
 */
export function createProxyPool(origin: URL, options: object): PoolOfUndici {
  const pool = new Pool(origin, { ...options, headersTimeout: proxyAnswerTimeoutMs })
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
