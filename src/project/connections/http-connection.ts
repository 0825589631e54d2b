import {
  baseUrlProblem,
  createHttpConnection,
  type HttpConnection,
  type HttpConnectionOptions,
  type LoginOptions,
} from '../../actions/index.ts'
import type { RateBudget } from '../../api/index.ts'
import type { CallWindows } from '../../core/action.ts'
import { withoutUndefined } from '../../core/json.ts'
import { CommandError } from '../command-error.ts'
import type { Configuration } from '../configuration/read-configuration.ts'
import { readReference } from '../configuration/read-reference.ts'
import {
  type HttpAuthDocument,
  type HttpConnectionDocument,
  isReference,
} from '../configuration/schema/connections-schema.ts'
import type { Surroundings } from '../surroundings.ts'
import { readHttpRules } from './http-rules.ts'

/** An HTTP connection that is open, and warnings about where its secrets are. */
export interface OpenHttpConnection {
  readonly connection: HttpConnection
  readonly warnings: readonly string[]
}

/**
 * Opens a connection of type `http`. Sends nothing. Rejects with a `CommandError` for what is wrong or missing in
 * `opsbook.yaml`, and with a `RunbookError` for an address that its rules refuse.
 */
export async function openHttpConnection(
  name: string,
  document: HttpConnectionDocument,
  configuration: Configuration,
  io: Surroundings,
  budget?: RateBudget,
): Promise<OpenHttpConnection> {
  const read = createReader(name, configuration, io)
  const { 'base-url': written, auth, headers, limits, errors, tls } = document
  const isSecret = isReference(written)
  const baseUrl = isSecret ? await read.secret(written) : written
  const problem = baseUrlProblem(baseUrl, isSecret)
  if (problem !== undefined) {
    const place = isSecret ? `, ${written},` : ''
    throw new CommandError('usage', `"base-url" of the connection "${name}"${place} ${problem}`, {
      hints: ['such as https://api.example.com'],
    })
  }
  const options: HttpConnectionOptions = {
    name,
    baseUrl,
    isSecret,
    rules: readHttpRules(configuration),
    ...(auth === undefined ? {} : { auth: await readLogin(auth, read) }),
    ...(headers === undefined ? {} : { headers }),
    ...(limits === undefined ? {} : { limits: connectionWindowsOf(limits) }),
    ...(errors === undefined ? {} : { errors }),
    ...(tls === undefined ? {} : { tls: await readTls(tls, read) }),
    ...(budget === undefined ? {} : { budget }),
  }
  const isPlain = /^http:/i.test(baseUrl) && auth !== undefined && !isLoopbackHost(new URL(baseUrl).hostname)
  const unencrypted = isPlain ? [`the connection "${name}" is not https: its log-in is sent unencrypted`] : []
  const connection = await createHttpConnection(options)
  return { connection, warnings: [...read.warnings, ...unencrypted] }
}

/** The limits of a connection as rate windows. */
export function connectionWindowsOf(limits: NonNullable<HttpConnectionDocument['limits']>): CallWindows {
  const { 'per-second': perSecond, 'per-minute': perMinute, 'per-day': perDay } = limits
  return withoutUndefined({ perSecond, perMinute, perDay })
}

/** Reads what `opsbook.yaml` names the place of. */
interface Reader {
  readonly warnings: string[]
  secret(reference: string): Promise<string>
  /** A certificate, which everybody may read. */
  certificate(reference: string): Promise<string>
  /** A text that may be written out. */
  text(written: string): Promise<string>
}

function createReader(name: string, configuration: Configuration, io: Surroundings): Reader {
  const warnings: string[] = []
  const text = async (reference: string, isPublic: boolean): Promise<string> => {
    const read = await readReference(reference, configuration, io)
    if ('problem' in read) {
      throw new CommandError(
        'environment',
        `the connection "${name}" is not complete: ${read.place} ${read.problem}`,
        { hints: [`${read.hint}, or change the connection in opsbook.yaml`] },
      )
    }
    const isNew = (warning: string): boolean => !isPublic && !warnings.includes(warning)
    warnings.push(...read.warnings.filter(isNew))
    return read.text.trim()
  }
  return {
    warnings,
    secret: (reference) => text(reference, false),
    certificate: (reference) => text(reference, true),
    text: async (written) => (isReference(written) ? text(written, false) : written),
  }
}

async function readLogin(auth: HttpAuthDocument, { secret, text }: Reader): Promise<LoginOptions> {
  switch (auth.type) {
    case 'bearer': {
      // It has to be there before a run; later it can be another one.
      await secret(auth.token)
      return { type: 'bearer', token: () => secret(auth.token) }
    }
    case 'basic':
      return { type: 'basic', user: await text(auth.user), password: await secret(auth.password) }
    case 'header':
      return { type: 'header', name: auth.name, value: await secret(auth.value) }
    case 'query':
      return { type: 'query', name: auth.name, value: await secret(auth.value) }
    case 'oauth2':
      return {
        type: 'oauth2',
        tokenUrl: auth['token-url'],
        clientId: await text(auth['client-id']),
        clientSecret: await secret(auth['client-secret']),
        ...withoutUndefined({ scope: auth.scope, params: auth.params }),
        ...(auth['credentials-in'] === undefined ? {} : { credentialsIn: auth['credentials-in'] }),
      }
    case 'aws': {
      const token = auth['session-token']
      return {
        type: 'aws',
        service: auth.service,
        region: auth.region,
        accessKeyId: await secret(auth['access-key-id']),
        secretAccessKey: await secret(auth['secret-access-key']),
        ...(token === undefined ? {} : { sessionToken: await secret(token) }),
      }
    }
  }
}

async function readTls(
  { ca, cert, key }: NonNullable<HttpConnectionDocument['tls']>,
  { secret, certificate }: Reader,
): Promise<NonNullable<HttpConnectionOptions['tls']>> {
  return {
    ...(ca === undefined ? {} : { ca: await certificate(ca) }),
    ...(cert === undefined ? {} : { cert: await certificate(cert) }),
    ...(key === undefined ? {} : { key: await secret(key) }),
  }
}

/** Whether an address leads to this machine only. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host)
}
