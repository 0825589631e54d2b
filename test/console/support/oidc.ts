import { createServer, type Server } from 'node:http'
import type { Provider as OidcProviderServer } from 'oidc-provider'
import { vi } from 'vitest'
import { type OidcAuth, rolesOf } from '../../../src/console/server/index.ts'
import { type RawAnswer, sendRaw } from '../../security/support/send-raw.ts'
import { listen } from '../../support/listen.ts'

/** A provider of log-ins over HTTP, on this machine. */
export interface OidcProvider {
  readonly issuer: URL
  /** How many requests for tokens it has got. */
  readonly asked: () => number
  stop(): Promise<void>
  /** Answers again, at the same address. */
  start(): Promise<void>
}

/** What the provider knows, and how it behaves. */
interface Behaviour {
  /** People with their claims. */
  readonly people?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** The claims are told only to who asks for them with the access token. */
  readonly isByUserInfo?: boolean
  /** How long ID tokens count, in seconds. */
  readonly ttl?: number
  /** @default that of the console */
  readonly secret?: string
  /** Its ID tokens are not signed by its key. */
  readonly isForged?: boolean
  readonly method?: 'client_secret_basic' | 'client_secret_post'
  /** The address of the console. @default `publicUrl` */
  readonly consoleUrl?: URL
  /** People log in with a form, as their browser shows it. */
  readonly isByForm?: boolean
}

/** The secret of the console at the provider. */
export const clientSecret = 'sesame-secret-of-the-client'
/** The address of the console for its people. */
export const publicUrl: URL = new URL('https://ops.example.com')

/** Starts a provider. A browser logs in there as the person whom it names in the header `as`; nobody: it refuses. */
export async function startProvider(behaviour: Behaviour = {}): Promise<OidcProvider> {
  const { people = { ada: { preferred_username: 'ada', groups: ['ops'] } } } = behaviour
  const {
    isByUserInfo = false,
    ttl = 3600,
    secret = clientSecret,
    method = 'client_secret_basic',
    consoleUrl = publicUrl,
    isByForm = false,
  } = behaviour
  let tokens = 0
  let answer: ReturnType<OidcProviderServer['callback']> = () => Promise.resolve()
  const server: Server = createServer((request, response) => {
    if (request.url?.startsWith('/token') === true) {
      tokens++
      const { end } = response
      if (behaviour.isForged === true)
        response.end = (body?: unknown) => end.call(response, forge(String(body)), 'utf8')
    }
    if (isByForm || request.url?.startsWith('/interaction/') !== true) return void answer(request, response)
    const { as: accountId } = request.headers
    const result =
      typeof accountId === 'string'
        ? { login: { accountId } }
        : { error: 'access_denied', error_description: 'no such person' }
    void provider.interactionFinished(request, response, result)
  })
  const issuer = new URL(await listen(server))
  // It warns that it is not for production.
  const warnings = vi.spyOn(console, 'warn').mockReturnValue()
  const { Provider } = await import('oidc-provider')
  const provider = new Provider(issuer.origin, {
    clients: [
      {
        client_id: 'opsbook',
        client_secret: secret,
        redirect_uris: [new URL('/login/callback', consoleUrl).href],
        post_logout_redirect_uris: [new URL('/login', consoleUrl).href],
        token_endpoint_auth_method: method,
      },
    ],
    clientAuthMethods: [method],
    claims: {
      openid: ['sub'],
      profile: ['preferred_username', 'email', 'email_verified'],
      groups: ['groups'],
    },
    conformIdTokenClaims: isByUserInfo,
    cookies: { keys: ['of the provider'] },
    features: { devInteractions: { enabled: isByForm } },
    ...(isByForm
      ? {}
      : { interactions: { url: (_: unknown, { uid }: { readonly uid: string }) => `/interaction/${uid}` } }),
    ttl: {
      IdToken: ttl,
      AccessToken: 600,
      AuthorizationCode: 60,
      Grant: 600,
      Interaction: 600,
      Session: 600,
    },
    findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub, ...people[sub] }) }),
    async loadExistingGrant({ oidc: { client, session } }) {
      const ofClient = client === undefined ? {} : { clientId: client.clientId }
      const ofPerson = session?.accountId === undefined ? {} : { accountId: session.accountId }
      const grant = new provider.Grant({ ...ofClient, ...ofPerson })
      grant.addOIDCScope('openid profile groups')
      await grant.save()
      return grant
    },
  })
  warnings.mockRestore()
  answer = provider.callback()
  const stop = async (): Promise<void> => {
    if (!server.listening) return
    server.closeAllConnections()
    await new Promise((resolve) => void server.close(resolve))
  }
  const start = (): Promise<void> =>
    new Promise((resolve) => void server.listen(Number(issuer.port), '127.0.0.1', resolve))
  return { issuer, asked: () => tokens, stop, start }
}

/** Changes the signature of the ID token. */
function forge(body: string): string {
  return body.replace(
    /("id_token":"[^".]+\.[^".]+\.)(.)/,
    (_, begin: string, first: string) => begin + (first === 'A' ? 'B' : 'A'),
  )
}

/** How a console logs people in by a provider, and which roles their groups have. */
export function oidcAuth(
  { issuer }: Pick<OidcProvider, 'issuer'>,
  roles: Parameters<typeof rolesOf>[1],
  more: Partial<OidcAuth> = {},
): OidcAuth {
  return {
    type: 'oidc',
    issuer,
    clientId: 'opsbook',
    secret: clientSecret,
    scopes: ['profile', 'groups'],
    nameClaim: 'preferred_username',
    groupsClaim: 'groups',
    login: (name, groups) => ({
      by: { name, source: 'console', verified: true },
      roles: rolesOf(groups, roles),
      groups,
    }),
    ...more,
  }
}

/** A browser in front of a console, whose public address a proxy leads there. */
export interface Browser {
  readonly cookies: Map<string, string>
  /** Opens an address of the console, and follows nothing. */
  open(path: string): Promise<RawAnswer>
  /** Logs in at the provider after the console has sent the browser there. Resolves with where it is sent back. */
  logIn(location: string | undefined, person?: string): Promise<string>
  /** The whole way. Resolves with the answer of the console at its end. */
  goThrough(person?: string, next?: string): Promise<RawAnswer>
}

/** A browser without cookies. `url`: where the console really listens. */
export function openBrowser(url: string): Browser {
  const ofConsole = new Map<string, string>()
  const ofProvider = new Map<string, string>()
  const send = async (to: string, jar: Map<string, string>, headers: Record<string, string>) => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await sendRaw(to, { accept: 'text/html', cookie, ...headers })
    for (const line of answer.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/max-age=0|expires=thu, 01 jan 1970/i.test(line)) jar.delete(name)
      else jar.set(name, value)
    }
    return answer
  }
  const open: Browser['open'] = (path) => send(url + path, ofConsole, { host: publicUrl.host })
  const logIn: Browser['logIn'] = async (location = '', person) => {
    let at = new URL(location)
    while (at.origin !== publicUrl.origin) {
      const { headers, status, text } = await send(
        at.href,
        ofProvider,
        person === undefined ? {} : { as: person },
      )
      if (headers.location === undefined) throw new Error(`the provider has answered ${status}: ${text}`)
      at = new URL(headers.location, at)
    }
    return at.pathname + at.search
  }
  return {
    cookies: ofConsole,
    open,
    logIn,
    async goThrough(person, next) {
      const start = await open(`/login/start${next === undefined ? '' : `?${new URLSearchParams({ next })}`}`)
      if (start.headers.location === undefined) return start
      return open(await logIn(start.headers.location, person))
    },
  }
}
