import type { Agents, AnswerHead, TlsOptions } from '../../../api/http/index.ts'
import type { RateBudget } from '../../../api/index.ts'
import type { AcquireOptions, RateLease } from '../../../api/pacing/index.ts'
import type { CallWindows } from '../../../core/action.ts'
import type { HttpRules } from '../address-rules.ts'
import type { LoginOptions } from './create-login.ts'
import type { ServiceLogin } from './login.ts'

/** Another system that steps call, with its address, its log-in and its limits. */
export interface HttpConnectionOptions {
  /** Its name in messages, and in the count of its limits. */
  readonly name: string
  /** Its address. The `path` of a step is added to it. */
  readonly baseUrl: string
  /**
   * The address is a secret: only its origin is shown. Only such an address can have a query.
   * @default false
   */
  readonly isSecret?: boolean
  /** @default requests carry no log-in */
  readonly auth?: LoginOptions
  /** Sent with each request; those of a step take precedence. */
  readonly headers?: Readonly<Record<string, string>>
  /** @default no limits */
  readonly limits?: CallWindows
  /** Certificates and the key in PEM. */
  readonly tls?: TlsOptions
  /**
   * Where calls are counted. Give the same budget to all connections with limits.
   * @default a budget of this connection
   */
  readonly budget?: RateBudget
  /** @default any address */
  readonly rules?: HttpRules
  readonly errors?: ErrorFields
}

/** Where a refusal says its code and its message: paths in its JSON, such as `error.code`. */
export interface ErrorFields {
  /** A code that the document of errors knows is that of the failure, if it proves the same: nothing was executed. */
  readonly code?: string
  readonly message?: string
}

/** The limits of one action, which does not count with the others over its connection. */
export interface OwnLimit extends CallWindows {
  readonly action: string
}

/** An open connection of type `http`. */
export interface HttpConnection {
  readonly kind: 'http'
  readonly name: string
  /** The only part of a secret address that is ever shown. */
  readonly origin: string
  /** What no answer may repeat, as far as it is known before a request. */
  readonly secrets: readonly string[]
  readonly headers: Readonly<Record<string, string>>
  readonly errors: ErrorFields
  readonly login: ServiceLogin
  readonly agents: Agents
  /** The path with the query below the address, and the part of it that can be shown. */
  target(path: string): { readonly path: string; readonly search: string; readonly shown: string }
  /** Waits until one more request fits the limits: those of its action, where it has any. */
  acquire(options: AcquireOptions, own?: OwnLimit): Promise<RateLease>
  /** The server answered 429: with limits, no request is sent over the connection for as long as it asks. */
  pause(head: AnswerHead): void
  close(): Promise<void>
}

/** A connection or the client of the service: what the name of a connection can stand for. */
export function isHttpConnection(value: object): value is HttpConnection {
  return 'kind' in value && value.kind === 'http'
}

/** Opens a connection; sends nothing. Rejects with `InvalidInput` or `AddressNotAllowed` for one that cannot be used. */
export async function createHttpConnection(options: HttpConnectionOptions): Promise<HttpConnection> {
  // What sends takes longer to load than most commands need.
  const { connectTo } = await import('./connect-to.ts')
  return connectTo(options)
}

/** What is wrong with the address of a connection; no message repeats it. */
export function baseUrlProblem(text: string, isSecret: boolean): string | undefined {
  if (!/^https?:\/\/[^/\s]/i.test(text) || /[\s\p{Cc}]/u.test(text) || !URL.canParse(text))
    return 'is not an http or https address'
  const { username, password, search, hash } = new URL(text)
  if (username !== '' || password !== '') return 'must not hold a user name or password: give them under auth'
  if (hash !== '') return 'must end before "#"'
  if (search !== '' && !isSecret)
    return 'must end before "?": give parameters in the steps, or keep an address with a secret in env: or file:'
  return undefined
}

/** Shorter parts of an address are in many answers by chance. */
const leastCharacters = 8
/** A shorter part of a path is a word, and not what makes it a secret. */
const leastPart = 16

/** What of a secret address no answer may repeat: its path, long parts of it, and the values of its query. */
export function secretsOfAddress(address: string): readonly string[] {
  if (!URL.canParse(address)) return []
  const { pathname, search, searchParams } = new URL(address)
  const path = pathname.replace(/\/+$/, '')
  const parts = path.split('/').filter(({ length }) => length >= leastPart)
  return [path + search, path, path.slice(1), ...parts, ...searchParams.values()].filter(
    ({ length }) => length >= leastCharacters,
  )
}
