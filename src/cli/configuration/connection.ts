import { dirname } from 'node:path'
import { nearest } from '../../core/nearest.ts'
import { CommandError } from '../command-error.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { checkBaseUrl } from './base-url.ts'
import { checkKey, resolveKey } from './key-reference.ts'
import type { Configuration } from './read-configuration.ts'
import type { ConnectionDocument } from './schema.ts'

/** One account of the service, with its key. */
export interface Connection {
  readonly name: string
  readonly baseUrl: string
  readonly appKey: string
  /** Connections of one account share its rate budget. Left out: the key stands for the account. */
  readonly account?: string
  readonly acceptLanguage?: string
  /** Where it was configured, for people. */
  readonly origin: string
  readonly warnings: readonly string[]
}

/** The connection of this name; without a name `default`, or the only one there is. */
export async function chooseConnection(
  name: string | undefined,
  configuration: Configuration,
  io: Io,
): Promise<Connection> {
  const fromEnvironment = name === undefined || name === 'default' ? readEnvironment(io) : undefined
  const documents = configuration.document.connections ?? {}
  const names = Object.keys(documents)
  const wanted = name ?? (fromEnvironment || names.length !== 1 ? 'default' : names[0])
  if (wanted === 'default' && fromEnvironment) return fromEnvironment
  const document = wanted !== undefined && Object.hasOwn(documents, wanted) ? documents[wanted] : undefined
  if (document && configuration.file !== undefined) {
    return fromDocument(wanted as string, document, configuration.file, io)
  }
  throw wanted === undefined || wanted === 'default' ? noConnection(names) : unknownName(wanted, names)
}

/** Whether steps that name no connection have one here: `default`, or the only one there is. */
export function hasDefaultConnection({ document }: Configuration, { env }: Io): boolean {
  const names = Object.keys(document.connections ?? {})
  const isInEnvironment = Boolean(env['OPSBOOK_BASE_URL'] || env['OPSBOOK_APP_KEY'])
  return isInEnvironment || names.length === 1 || names.includes('default')
}

/** The address of a connection, whether its key is here or not. Undefined: it is not configured here. */
export function addressOf(name: string, { document }: Configuration, { env }: Io): string | undefined {
  const ofEnvironment = name === 'default' ? env['OPSBOOK_BASE_URL'] : undefined
  const documents = document.connections ?? {}
  const address =
    ofEnvironment || (Object.hasOwn(documents, name) ? documents[name]?.['base-url'] : undefined)
  return address && checkBaseUrl(address, `the address of the connection "${name}"`).baseUrl
}

/** Refuses a name that none of the connections has which are configured here. Their keys may be elsewhere. */
export function requireConnectionName(name: string, { document }: Configuration): void {
  const names = Object.keys(document.connections ?? {})
  if (names.length > 0 && name !== 'default' && !names.includes(name)) throw unknownName(name, names)
}

/** `OPSBOOK_BASE_URL` and `OPSBOOK_APP_KEY`: both or none. */
function readEnvironment({ env }: Io): Connection | undefined {
  const baseUrl = env['OPSBOOK_BASE_URL']
  const appKey = env['OPSBOOK_APP_KEY']
  if (!baseUrl && !appKey) return undefined
  if (!baseUrl || !appKey) {
    const [set, missing] = baseUrl
      ? ['OPSBOOK_BASE_URL', 'OPSBOOK_APP_KEY']
      : ['OPSBOOK_APP_KEY', 'OPSBOOK_BASE_URL']
    throw new CommandError(exitCodes.environment, `${set} is set and ${missing} is not`, {
      hints: [`set ${missing} too, or unset ${set} and name the connection in opsbook.yaml`],
    })
  }
  return {
    name: 'default',
    ...checkBaseUrl(baseUrl, 'OPSBOOK_BASE_URL'),
    appKey: checkKey(appKey, 'the environment variable OPSBOOK_APP_KEY'),
    origin: 'OPSBOOK_BASE_URL and OPSBOOK_APP_KEY',
  }
}

async function fromDocument(
  name: string,
  document: ConnectionDocument,
  file: string,
  io: Io,
): Promise<Connection> {
  const { baseUrl, warnings } = checkBaseUrl(document['base-url'], `"base-url" of the connection "${name}"`)
  const key = await resolveKey(document['app-key'], dirname(file), io)
  const acceptLanguage = document['accept-language']
  return {
    name,
    baseUrl,
    appKey: key.appKey,
    ...(document.account === undefined ? {} : { account: document.account }),
    ...(acceptLanguage === undefined ? {} : { acceptLanguage }),
    origin: file,
    warnings: [...warnings, ...key.warnings],
  }
}

function noConnection(names: readonly string[]): CommandError {
  if (names.length > 0) {
    return new CommandError(
      exitCodes.environment,
      `no connection is called "default"${names.length > 1 ? ', and several are configured' : ''}`,
      {
        hints: [`choose one with --connection: ${names.join(', ')}`],
      },
    )
  }
  return new CommandError(exitCodes.environment, 'no connection to the service is configured', {
    hints: [
      'set OPSBOOK_BASE_URL and OPSBOOK_APP_KEY, or write "connections" into opsbook.yaml,',
      'or try with --sandbox, which needs neither',
    ],
  })
}

function unknownName(name: string, names: readonly string[]): CommandError {
  const near = nearest(name, names)
  const known = names.length === 0 ? 'none is configured' : `configured: ${names.join(', ')}`
  return new CommandError(exitCodes.usage, `there is no connection "${name}"`, {
    hints: [near === undefined ? known : `did you mean "${near}"?`],
  })
}
