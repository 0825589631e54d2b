import { noProxy } from '../../api/http/index.ts'
import { type MakeLogin, type OidcAuth, type ProxyAuth, rolesOf } from '../../console/server/index.ts'
import {
  type Configuration,
  configurationDefaults,
  type OidcAuthDocument,
  readReference,
} from '../../project/configuration/index.ts'
import { CommandError } from '../../project/index.ts'
import type { CommandContext } from '../shared/context.ts'

/** How people log in to the console of `opsbook.yaml`. */
export interface ConsoleAuth {
  readonly auth?: OidcAuth | ProxyAuth
  readonly warnings: readonly string[]
}

/** A shorter secret can be guessed. */
const fewestCharacters = 32

/** Reads how people log in. Throws if a secret cannot be read. */
export async function readConsoleAuth(
  configuration: Configuration,
  context: CommandContext,
): Promise<ConsoleAuth> {
  const { document } = configuration
  const { auth } = document.console ?? {}
  if (auth === undefined) return { warnings: [] }
  const login = createLogin(document.people?.groups ?? {}, auth.roles)
  if (auth.type === 'oidc') {
    const { secret, warnings } = await readSecret(
      'client-secret',
      auth['client-secret'],
      configuration,
      context,
    )
    return { auth: { ...oidcOf(auth), secret, login, fetch: await createFetch() }, warnings }
  }
  const headers = { ...configurationDefaults.proxyHeaders, ...auth.headers }
  requireOwnHeaders(headers)
  if (auth.secret === undefined) return { auth: { type: 'proxy', headers, login }, warnings: [] }
  const { secret, place, warnings } = await readSecret('secret', auth.secret, configuration, context)
  if (secret.length < fewestCharacters)
    throw unusable(
      'secret',
      `${place} is shorter than ${fewestCharacters} characters`,
      '"openssl rand -hex 32" generates one',
    )
  return { auth: { type: 'proxy', secret, headers, login }, warnings }
}

/** What the senders of requests themselves decide on, or what says something else. */
const takenHeaders: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'host',
  'origin',
  'content-type',
  'content-length',
  'transfer-encoding',
  'opsbook-console',
  'sec-fetch-site',
])

/** Refuses a header that would mean two things: a person could name their groups, or a session would be a name. */
function requireOwnHeaders(headers: Readonly<Record<string, string>>): void {
  const keys = new Map<string, string>()
  for (const [key, header] of Object.entries(headers)) {
    const name = header.toLowerCase()
    const other = keys.get(name)
    const hint = 'name the header that the proxy sets for this alone'
    if (other !== undefined) throw unusable('headers', `${other} and ${key} are both in ${header}`, hint)
    if (takenHeaders.has(name)) throw unusable('headers', `${key} cannot be in ${header}`, hint)
    keys.set(name, key)
  }
}

function oidcOf(auth: OidcAuthDocument): Omit<OidcAuth, 'secret' | 'login'> {
  const { oidc } = configurationDefaults
  return {
    type: 'oidc',
    issuer: new URL(auth.issuer),
    clientId: auth['client-id'],
    scopes: auth.scopes ?? [oidc.scope],
    nameClaim: auth['name-claim'] ?? oidc.nameClaim,
    groupsClaim: auth['groups-claim'] ?? oidc.groupsClaim,
  }
}

/** Requests go through the proxies of the environment. */
async function createFetch(): Promise<NonNullable<OidcAuth['fetch']>> {
  const { EnvHttpProxyAgent, fetch } = await import('undici')
  const dispatcher = new EnvHttpProxyAgent({ noProxy: noProxy() })
  // Its answers are what those of Node are, by types of its own.
  return async (url, options) =>
    (await fetch(url, { ...(options as object), dispatcher })) as unknown as Response
}

async function readSecret(
  key: string,
  reference: string,
  configuration: Configuration,
  { io }: CommandContext,
): Promise<{ readonly secret: string; readonly place: string; readonly warnings: readonly string[] }> {
  const read = await readReference(reference, configuration, io)
  if (!('text' in read)) throw unusable(key, `${read.place} ${read.problem}`, read.hint)
  return { secret: read.text.trim(), place: read.place, warnings: read.warnings }
}

/** Who someone is by a login: the groups that it says, and those of `people`. */
function createLogin(
  people: Readonly<Record<string, readonly string[]>>,
  roles: Parameters<typeof rolesOf>[1],
): MakeLogin {
  return (name, groups, id) => {
    const having = Object.entries(people).flatMap(([group, names]) => (names.includes(name) ? [group] : []))
    return {
      by: { name, source: 'console', verified: true, ...(id === undefined ? {} : { id }) },
      roles: rolesOf([...groups, ...having], roles),
      ...(groups.length === 0 ? {} : { groups }),
    }
  }
}

function unusable(key: string, reason: string, hint: string): CommandError {
  return new CommandError('environment', `console.auth.${key} cannot be used: ${reason}`, {
    hints: [hint],
  })
}
