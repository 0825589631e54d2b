import * as oidc from 'openid-client'
import { longestName, nameProblem } from '../../../core/people/index.ts'
import { ConsoleError } from '../problem.ts'
import { remember } from '../remember.ts'
import type { Login, MakeLogin, SessionProvider } from '../sessions.ts'
import { providerRefusal } from './oidc-errors.ts'
import type { ProxyAuth } from './proxy.ts'

/** A provider of OpenID Connect that logs people in. */
export interface OidcAuth {
  readonly type: 'oidc'
  /** `https`, or `http` on this machine. */
  readonly issuer: URL
  readonly clientId: string
  /** The secret of the client. */
  readonly secret: string
  readonly scopes: readonly string[]
  /** The claim with the name of the person. */
  readonly nameClaim: string
  /** The claim with their groups. */
  readonly groupsClaim: string
  /** Who someone is by what the provider says. */
  readonly login: MakeLogin
  /** Left out: that of Node, which uses no proxies. */
  readonly fetch?: oidc.CustomFetch
}

/** What the browser that began a log-in keeps until it ends. */
export interface BegunLogin {
  readonly state: string
  readonly nonce: string
  /** Proves that who ends the log-in has begun it (PKCE). */
  readonly verifier: string
  /** The path of the console to show then. */
  readonly next: string
}

/** Someone whom the provider has logged in. They may have no role. */
interface ProvenLogin {
  readonly login: Login
  /** When the provider's word ends, as Unix time in milliseconds. */
  readonly untilMs: number
  readonly idToken: string
}

/** The log-in of one provider. Every method rejects with a `ConsoleError` that says what to do next. */
export interface OidcWay {
  /** Where to send the browser, and what it keeps meanwhile. */
  begin(next: string): Promise<{ readonly url: URL; readonly begun: BegunLogin }>
  /** Ends a log-in with the answer that the browser brings from the provider. */
  finish(answer: URLSearchParams, begun: BegunLogin | undefined): Promise<ProvenLogin>
  /**
   * Where to send a browser to end its session at the provider. Undefined: the provider announces no such address, or is
   * away. `idToken`: says whose session ends. Without it the provider may ask the person first.
   */
  end(idToken?: string): Promise<URL | undefined>
}

/** The path that the provider sends browsers to. */
export const callbackPath = '/login/callback'

/** The path that the provider sends browsers to after it has ended their session. */
const afterLogoutPath = '/login'

/** How long the provider may take to answer, in seconds. */
const timeoutSeconds = 10
/** How long what the provider says about itself is remembered, in milliseconds. */
const rememberMs = 60 * 60_000

/** The provider whose sessions count, named by all that says who someone is. */
export function sessionProvider(auth: OidcAuth | ProxyAuth | undefined): SessionProvider | undefined {
  if (auth?.type !== 'oidc') return undefined
  const { issuer, clientId, nameClaim, groupsClaim, login } = auth
  return { name: [issuer.href, clientId, nameClaim, groupsClaim].join(' '), login }
}

/** Prepares the log-in. The provider is asked about itself at the first log-in, so that it may be away until then. */
export function createOidcWay(auth: OidcAuth, publicUrl: URL, onDefect: (error: unknown) => void): OidcWay {
  const redirectUri = new URL(callbackPath, publicUrl)
  // A provider that does not answer is asked again at the next log-in.
  const provider = remember(() => discover(auth), rememberMs)

  async function asking<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask()
    } catch (error) {
      if (error instanceof ConsoleError) throw error
      const { problem, reason } = providerRefusal(error, auth.issuer)
      if (reason !== undefined) onDefect(new Error(reason))
      throw new ConsoleError(problem)
    }
  }

  return {
    begin: (next) =>
      asking(async () => {
        const about = await provider.read()
        const verifier = oidc.randomPKCECodeVerifier()
        const begun = { state: oidc.randomState(), nonce: oidc.randomNonce(), verifier, next }
        const url = oidc.buildAuthorizationUrl(about, {
          redirect_uri: redirectUri.href,
          scope: ['openid', ...auth.scopes.filter((scope) => scope !== 'openid')].join(' '),
          state: begun.state,
          nonce: begun.nonce,
          code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
        })
        return { url, begun }
      }),
    finish: (answer, begun) =>
      asking(async () => {
        // Nobody else is asked anything for an answer that no log-in of this browser waits for.
        if (begun === undefined || answer.getAll('state').join() !== begun.state) throw unexpected()
        const about = await provider.read()
        const tokens = await oidc.authorizationCodeGrant(about, new URL(`?${answer}`, redirectUri), {
          expectedState: begun.state,
          expectedNonce: begun.nonce,
          pkceCodeVerifier: begun.verifier,
          idTokenExpected: true,
        })
        const claims = tokens.claims()
        if (claims === undefined || tokens.id_token === undefined)
          throw new Error('the provider has sent no ID token')
        const all = await addUserInfo(about, tokens.access_token, claims, auth)
        return { login: readLogin(all, auth), untilMs: claims.exp * 1000, idToken: tokens.id_token }
      }),
    async end(idToken) {
      const about = await provider.read().catch(() => undefined)
      if (about?.serverMetadata().end_session_endpoint === undefined) return undefined
      const { href } = new URL(afterLogoutPath, publicUrl)
      return oidc.buildEndSessionUrl(about, {
        post_logout_redirect_uri: href,
        ...(idToken === undefined ? {} : { id_token_hint: idToken }),
      })
    },
  }
}

async function discover({ issuer, clientId, secret, fetch }: OidcAuth): Promise<oidc.Configuration> {
  const basic = oidc.ClientSecretBasic(secret)
  const post = oidc.ClientSecretPost(secret)
  const provider = await oidc.discovery(
    issuer,
    clientId,
    undefined,
    (server, ...more) => {
      const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = server
      return (methods.includes('client_secret_basic') ? basic : post)(server, ...more)
    },
    {
      timeout: timeoutSeconds,
      // The signature of the ID token counts, and not only the connection that it came over.
      execute: [
        oidc.enableNonRepudiationChecks,
        ...(issuer.protocol === 'http:' ? [oidc.allowInsecureRequests] : []),
      ],
      ...(fetch === undefined ? {} : { [oidc.customFetch]: fetch }),
    },
  )
  return provider
}

type Claims = Readonly<Record<string, unknown>>

/** Many providers name groups only where they are asked for them. What is signed takes precedence. */
async function addUserInfo(
  provider: oidc.Configuration,
  accessToken: string,
  claims: oidc.IDToken,
  { nameClaim, groupsClaim }: OidcAuth,
): Promise<Claims> {
  const isWhole = [nameClaim, groupsClaim].every((claim) => claims[claim] !== undefined)
  if (isWhole || provider.serverMetadata().userinfo_endpoint === undefined) return claims
  return { ...(await oidc.fetchUserInfo(provider, accessToken, claims.sub)), ...claims }
}

function readLogin(claims: Claims, { issuer, login, nameClaim, groupsClaim }: OidcAuth): Login {
  const name = claims[nameClaim]
  if (typeof name !== 'string' || name.trim() === '' || name.length > longestName)
    throw refused(
      `the provider has not said who you are: the claim ${nameClaim} is missing`,
      '"console.auth.name-claim" in opsbook.yaml names the claim, and "console.auth.scopes" asks for it',
    )
  // Some providers send a text.
  if (nameClaim === 'email' && claims['email_verified'] !== true && claims['email_verified'] !== 'true')
    throw refused(
      'the provider does not say that your e-mail address is verified',
      'verify it at the provider, then log in again; for a provider that never says so, set "console.auth.name-claim" to another claim',
    )
  const groups = [claims[groupsClaim]].flat().filter((group) => typeof group === 'string' && group !== '')
  refuseUnclear(name)
  return login(name.trim(), groups as readonly string[], `${issuer.href} ${String(claims['sub'])}`)
}

function refuseUnclear(name: string): void {
  const problem = nameProblem(name)
  if (problem !== undefined) throw refused(problem, 'ask who runs the provider to give you a name without it')
}

function unexpected(): ConsoleError {
  return refused(
    'no log-in of this browser waits for this answer of the provider',
    'log in again, in one browser and within ten minutes',
  )
}

function refused(detail: string, hint: string): ConsoleError {
  return new ConsoleError({ status: 403, code: 'LoginRefused', detail, hint })
}
