import { type Agents, retryAfterMs, send, type WireAnswer } from '../../../api/http/index.ts'
import { createPermit, unlimited } from '../../../api/pacing/index.ts'
import { createScrubber } from '../../../api/secrets/index.ts'
import { parseJson } from '../../../api/validation/index.ts'
import { isJsonObject, type JsonValue } from '../../../core/json.ts'
import { errorData, RunbookError } from '../../../core/run-error.ts'
import type { LoggedIn, LoginPlace, ServiceLogin } from './login.ts'
import { createTokenSource, type FetchedToken } from './token-source.ts'

/** OAuth2 with the grant "client credentials": a token is fetched, and fetched again before it expires. */
export interface OAuth2Login {
  readonly type: 'oauth2'
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret: string
  readonly scope?: string
  /** Further fields of the request for a token, such as `audience`. */
  readonly params?: Readonly<Record<string, string>>
  /**
   * Where the client id and the secret stand: in the header `Authorization`, or in the form.
   * @default 'header'
   */
  readonly credentialsIn?: 'header' | 'form'
}

/** Throws `AddressNotAllowed` where the rules for addresses refuse the host of the token. */
export function createOAuth2Login(options: OAuth2Login, place: LoginPlace): ServiceLogin {
  const { hostname } = new URL(options.tokenUrl)
  const problem = place.hostProblem(hostname)
  if (problem !== undefined)
    throw new RunbookError('AddressNotAllowed', `the connection "${place.name}": ${problem}`, {
      notSent: true,
    })
  const source = createTokenSource(() => fetchToken(options, place))
  return {
    secrets: [options.clientSecret],
    async logIn(): Promise<LoggedIn> {
      const token = await source.get()
      return { headers: { authorization: `Bearer ${token}` }, secrets: [token] }
    },
    renew: ({ secrets: [token] }) => source.forget(token),
  }
}

/** No caller waits longer for a token: the request of the step has a time limit of its own. */
const timeoutMs = 30_000
/** More is no answer of a token endpoint. */
const mostBytes = 64 * 1024

async function fetchToken(options: OAuth2Login, { name, agents }: LoginPlace): Promise<FetchedToken> {
  const { origin } = new URL(options.tokenUrl)
  const scrub = createScrubber([options.clientSecret])
  const failure = (code: string, what: string, waitMs?: number): RunbookError =>
    new RunbookError(code, scrub.text(`no token for the connection "${name}": ${what} (${origin})`), {
      notSent: true,
      ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
    })
  const answer = await request(options, agents).catch((thrown: unknown) => {
    const { code, message } = errorData(thrown)
    throw failure(code, message)
  })
  const { status } = answer.head
  const body = answer.kind === 'body' ? readJson(answer.body) : null
  const field = (key: string): unknown => (isJsonObject(body) ? body[key] : undefined)
  if (status === 200 && typeof field('access_token') === 'string') {
    const seconds = Number(field('expires_in'))
    const token = String(field('access_token'))
    return seconds > 0 ? { token, forMs: seconds * 1000 } : { token }
  }
  const said = [field('error'), field('error_description')].filter((text) => typeof text === 'string')
  const what = `HTTP ${status}${said.length === 0 ? '' : `: ${said.join(': ')}`}`
  if (status === 200) throw failure('LoginRefused', 'the answer holds no access_token')
  if (status === 429)
    throw failure('RequestTooFrequently', what, retryAfterMs(answer.head.headers, Date.now()))
  throw failure(status >= 400 && status < 500 && status !== 408 ? 'LoginRefused' : 'HttpFailed', what)
}

function request(options: OAuth2Login, agents: Agents): Promise<WireAnswer> {
  const { tokenUrl, clientId, clientSecret, scope, params = {}, credentialsIn = 'header' } = options
  const { origin, pathname, search } = new URL(tokenUrl)
  const isInForm = credentialsIn === 'form'
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    ...(scope === undefined ? {} : { scope }),
    ...(isInForm ? { client_id: clientId, client_secret: clientSecret } : {}),
    ...params,
  })
  const word = [clientId, clientSecret].map(encodeURIComponent).join(':')
  return send(agents, {
    origin,
    method: 'POST',
    path: pathname + search,
    headers: {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      'user-agent': 'opsbook',
      ...(isInForm ? {} : { authorization: `Basic ${Buffer.from(word).toString('base64')}` }),
    },
    body: form.toString(),
    connection: 'kept',
    timeoutMs,
    // Other calls wait for the same token: none of them cancels it.
    signal: undefined,
    signalBeforeSending: undefined,
    beforeSending: undefined,
    judge: () => ({ first: mostBytes }),
    context: { scrub: createScrubber([clientSecret]), maxAnswerBytes: mostBytes },
    permit: createPermit(unlimited),
  })
}

function readJson(body: Buffer): JsonValue {
  try {
    return parseJson(body.toString()).value
  } catch {
    return null
  }
}
