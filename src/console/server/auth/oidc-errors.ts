import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client'
import type { Problem } from '../problem.ts'

/** Why a log-in has failed, for the person; and for the operator, where they must do something. */
interface ProviderRefusal {
  readonly problem: Problem
  /** Holds neither secrets nor codes. Left out: it is a matter of the person. */
  readonly reason?: string
}

/** Reads an error of the provider, or of the way to it. */
export function providerRefusal(error: unknown, issuer: URL): ProviderRefusal {
  if (error instanceof AuthorizationResponseError) return ofPerson(error)
  if (error instanceof ResponseBodyError)
    return error.error === 'invalid_grant'
      ? refused('the provider does not accept this log-in: it was used before, or took too long', again)
      : ofClient(`${error.error} ${plain(error.error_description)}`, issuer)
  if (error instanceof WWWAuthenticateChallengeError) return ofClient(`status ${error.status}`, issuer)
  const { code } = error as { readonly code?: unknown }
  if (error instanceof ClientError && !unreachable.has(String(code)))
    return {
      ...refused('the answer of the provider does not belong to this log-in', again),
      reason: reasonOf(error, issuer),
    }
  return {
    problem: {
      status: 502,
      code: 'LoginUnavailable',
      detail: `the provider of log-ins at ${issuer.host} does not answer as it should`,
      hint: 'try again later; the log of the console says why. "opsbook console" opens a session on its machine',
    },
    reason: reasonOf(error, issuer),
  }
}

const again = 'log in again'

/** Codes of errors that say nothing about one log-in. */
const unreachable: ReadonlySet<string> = new Set([
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_HTTP_REQUEST_FORBIDDEN',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
])

/** The provider has sent the browser back with an error. */
function ofPerson({ error, error_description: description }: AuthorizationResponseError): ProviderRefusal {
  const hints: Readonly<Record<string, string>> = {
    access_denied: 'log in again as a person who may use this console, or ask who runs the provider',
    invalid_scope: '"console.auth.scopes" in opsbook.yaml says what is asked for',
    unauthorized_client: 'the provider must know this client, with the code flow',
  }
  return refused(
    `the provider has refused: ${plain(error)} ${plain(description)}`.trim(),
    hints[error] ?? 'log in again; if that fails, ask who runs the provider',
  )
}

/** The provider does not want this console. */
function ofClient(said: string, { host }: URL): ProviderRefusal {
  return {
    problem: {
      status: 502,
      code: 'LoginUnavailable',
      detail: `the provider of log-ins at ${host} refuses this console`,
      hint: 'who runs it checks "console.auth.client-id" and the secret; the log says what was answered',
    },
    reason: `the provider of log-ins at ${host} refuses this console: ${said.trim()}`,
  }
}

function refused(detail: string, hint: string): ProviderRefusal {
  return { problem: { status: 403, code: 'LoginRefused', detail, hint } }
}

/** What to tell the operator: the messages of an error and its causes. What was sent is in none of them. */
function reasonOf(error: unknown, { host }: URL): string {
  const messages: string[] = []
  for (let one = error; one instanceof Error && messages.length < mostCauses; one = one.cause) {
    const { code } = one as NodeJS.ErrnoException
    messages.push([one.message, ...(code === undefined ? [] : [`(${code})`])].join(' ').trim())
  }
  return `a log-in by the provider at ${host} has failed: ${messages.join(': ')}`
}

const mostCauses = 4

/** A text of the provider, without what could be mistaken for something else. */
function plain(text = ''): string {
  return text.replaceAll(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, ' ').slice(0, 200)
}
