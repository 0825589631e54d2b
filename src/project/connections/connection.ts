import { realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { nearest } from '../../core/text/index.ts'
import type { RunScope } from '../../engine/embedded/index.ts'
import type { ConnectionType, KnownConnections } from '../../load/index.ts'
import { CommandError } from '../command-error.ts'
import type { Configuration } from '../configuration/read-configuration.ts'
import { readReference } from '../configuration/read-reference.ts'
import {
  type HttpConnectionDocument,
  httpConnections,
  type ServiceDocument,
  serviceConnections,
} from '../configuration/schema/connections-schema.ts'
import type { Surroundings } from '../surroundings.ts'
import { isLoopbackHost } from './http-connection.ts'

/** One account of the service, with its key. */
export interface ConfiguredConnection {
  readonly name: string
  readonly baseUrl: string
  readonly appKey: string
  /** Connections of one account share its rate budget. Left out: the key stands for the account. */
  readonly account?: string
  readonly acceptLanguage?: string
  /** Where it is configured, as text. */
  readonly origin: string
  readonly warnings: readonly string[]
}

/** The connection of this name; without a name, `default` or the only one. */
export async function chooseConnection(
  name: string | undefined,
  configuration: Configuration,
  io: Surroundings,
): Promise<ConfiguredConnection> {
  const fromEnvironment = name === undefined || name === 'default' ? readEnvironment(io) : undefined
  const documents = serviceConnections(configuration.document.connections)
  const names = Object.keys(documents)
  const wanted = name ?? (fromEnvironment || names.length !== 1 ? 'default' : names[0])
  if (wanted === 'default' && fromEnvironment) return fromEnvironment
  const document = wanted !== undefined && Object.hasOwn(documents, wanted) ? documents[wanted] : undefined
  if (document && configuration.file !== undefined)
    return fromDocument(wanted as string, document, configuration.file, io)
  if (wanted !== undefined && findHttpConnection(wanted, configuration)) throw notOfService(wanted)
  throw wanted === undefined || wanted === 'default' ? noConnection(names) : unknownName(wanted, names)
}

/** Whether steps that name no connection have one here: `default` or the only one. */
export function hasDefaultConnection({ document }: Configuration, { env }: Surroundings): boolean {
  const names = Object.keys(serviceConnections(document.connections))
  const isInEnvironment = Boolean(env['OPSBOOK_BASE_URL'] || env['OPSBOOK_APP_KEY'])
  return isInEnvironment || names.length === 1 || names.includes('default')
}

/** The address of a connection, also if its key is missing here. Undefined: it is not configured here. */
export function connectionAddressOf(
  name: string,
  { document }: Configuration,
  { env }: Surroundings,
): string | undefined {
  const ofEnvironment = name === 'default' ? env['OPSBOOK_BASE_URL'] : undefined
  const documents = serviceConnections(document.connections)
  const address =
    ofEnvironment || (Object.hasOwn(documents, name) ? documents[name]?.['base-url'] : undefined)
  return address && checkBaseUrl(address, `the address of the connection "${name}"`).baseUrl
}

/** The address of the connection for steps that name none: of `default`, else of the only one. */
export function defaultAddressOf(configuration: Configuration, io: Surroundings): string | undefined {
  const [only = 'default', ...others] = Object.keys(serviceConnections(configuration.document.connections))
  const address = connectionAddressOf('default', configuration, io)
  return address ?? (others.length === 0 ? connectionAddressOf(only, configuration, io) : undefined)
}

/** The connection of type `http` of this name. */
export function findHttpConnection(
  name: string,
  { document }: Configuration,
): HttpConnectionDocument | undefined {
  const documents = httpConnections(document.connections)
  return Object.hasOwn(documents, name) ? documents[name] : undefined
}

/** The names of connections that steps can use here. */
export function knownConnections(
  { file, document }: Configuration,
  io: Surroundings,
  isSandbox: boolean,
): KnownConnections {
  const ofService = Object.keys(serviceConnections(document.connections))
  const isInEnvironment = Boolean(io.env['OPSBOOK_BASE_URL'])
  const types: Readonly<Record<string, ConnectionType>> = {
    ...(isInEnvironment ? { default: 'service' } : {}),
    ...Object.fromEntries(ofService.map((name) => [name, 'service'])),
    ...Object.fromEntries(Object.keys(httpConnections(document.connections)).map((name) => [name, 'http'])),
  }
  const engine = io.env['OPSBOOK_ENGINE'] || document.engine
  const notComplete =
    file === undefined
      ? 'there is no opsbook.yaml here that could name it'
      : engine === 'temporal'
        ? 'opsbook.yaml here does not name it; the one of the workers has to'
        : isSandbox
          ? 'opsbook.yaml does not name it; a sandbox stands in for every connection to the service'
          : undefined
  return {
    types,
    ...(notComplete === undefined ? {} : { notComplete }),
    ...(file === undefined ? { hasNoFile: true } : {}),
  }
}

/** The error for a name that is no connection of type `http`. */
export function notOfHttp(name: string, { document }: Configuration): CommandError {
  if (!Object.hasOwn(serviceConnections(document.connections), name))
    return unknownName(name, Object.keys(httpConnections(document.connections)))
  return new CommandError('usage', `the connection "${name}" is of the service, and not of type http`, {
    code: 'ConnectionNotFound',
    hints: ['operations of the service take it; core/http takes one of type http'],
  })
}

function notOfService(name: string): CommandError {
  return new CommandError('usage', `the connection "${name}" is of type http, and not of the service`, {
    code: 'ConnectionNotFound',
    hints: ['core/http steps name it; --connection chooses one of the service'],
  })
}

/** Refuses the name of a connection that is not configured here. Its key is not needed. */
export function requireConnectionName(name: string, configuration: Configuration): void {
  if (findHttpConnection(name, configuration)) throw notOfService(name)
  const names = Object.keys(serviceConnections(configuration.document.connections))
  if (names.length > 0 && name !== 'default' && !names.includes(name)) throw unknownName(name, names)
}

/** `OPSBOOK_BASE_URL` and `OPSBOOK_APP_KEY`: both or none. */
function readEnvironment({ env }: Surroundings): ConfiguredConnection | undefined {
  const baseUrl = env['OPSBOOK_BASE_URL']
  const appKey = env['OPSBOOK_APP_KEY']
  if (!baseUrl && !appKey) return undefined
  if (!baseUrl || !appKey) {
    const [set, missing] = baseUrl
      ? ['OPSBOOK_BASE_URL', 'OPSBOOK_APP_KEY']
      : ['OPSBOOK_APP_KEY', 'OPSBOOK_BASE_URL']
    throw new CommandError('environment', `${set} is set and ${missing} is not`, {
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
  document: ServiceDocument,
  file: string,
  io: Surroundings,
): Promise<ConfiguredConnection> {
  const { baseUrl, warnings } = checkBaseUrl(document['base-url'], `"base-url" of the connection "${name}"`)
  const key = await resolveKey(document['app-key'], file, io)
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
      'environment',
      `no connection is called "default"${names.length > 1 ? ', and several are configured' : ''}`,
      {
        code: 'ConnectionNotFound',
        hints: [`choose one with --connection: ${names.join(', ')}`],
      },
    )
  }
  return new CommandError('environment', 'no connection to the service is configured', {
    code: 'ConnectionNotFound',
    hints: [
      'set OPSBOOK_BASE_URL and OPSBOOK_APP_KEY, or write "connections" into opsbook.yaml,',
      'or try --sandbox, which needs neither',
    ],
  })
}

function unknownName(name: string, names: readonly string[]): CommandError {
  const near = nearest(name, names)
  const known = names.length === 0 ? 'none is configured' : `configured: ${names.join(', ')}`
  return new CommandError('usage', `there is no connection "${name}"`, {
    code: 'ConnectionNotFound',
    hints: [near === undefined ? known : `did you mean "${near}"?`],
  })
}

/**
 * Checks an address of the service. The message does not repeat a wrong one: users paste whole request URLs, which hold
 * the key.
 */
function checkBaseUrl(text: string, place: string): { baseUrl: string; warnings: readonly string[] } {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const refuse = (problem: string): never => {
    throw new CommandError('usage', `${place} ${problem}`, {
      hints: ['such as https://api.example.com'],
    })
  }
  if (!url || !/^https?:\/\/[^/]/i.test(text)) return refuse('is not an http or https address')
  if (url.username !== '' || url.password !== '') refuse('must not hold a user name or password')
  if (url.search !== '' || url.hash !== '')
    refuse('must end before "?" and "#": the key is configured apart from it')
  const baseUrl = `${url.origin}${url.pathname}`.replace(/\/+$/, '')
  const isPlain = url.protocol === 'http:' && !isLoopbackHost(url.hostname)
  return {
    baseUrl,
    warnings: isPlain ? [`${baseUrl} is not https: the key is sent unencrypted`] : [],
  }
}

/** Reads the key that `env:NAME` or `file:PATH` names. No message contains the key. */
async function resolveKey(
  reference: string,
  file: string,
  io: Surroundings,
): Promise<Pick<ConfiguredConnection, 'appKey' | 'warnings'>> {
  const read = await readReference(reference, { file }, io)
  if ('text' in read) return { appKey: checkKey(read.text, read.place), warnings: read.warnings }
  throw lacking(`there is no app key: ${read.place} ${read.problem}`, [
    `${read.hint}, or change "app-key" in opsbook.yaml`,
  ])
}

/** Checks that a key is one word. Editors and `echo` add a line break, which is removed. */
function checkKey(text: string, place: string): string {
  const key = text.trim()
  if (key === '') throw lacking(`${place} is empty`, ['it should hold the app key and nothing else'])
  if (/\s|\p{Cc}/u.test(key))
    throw lacking(`${place} holds more than a key`, ['it should hold the app key and nothing else'])
  return key
}

function lacking(message: string, hints: readonly string[]): CommandError {
  return new CommandError('environment', message, { hints })
}

/** The scope of runs: the project folder (of `opsbook.yaml`, else the working directory) and the service. */
export function connectionScopeOf(
  { file }: Configuration,
  connection: Pick<ConfiguredConnection, 'baseUrl'> | undefined,
  io: Pick<Surroundings, 'workingDirectory'>,
): RunScope {
  const project = realpathSync(file === undefined ? io.workingDirectory : dirname(file))
  return { project, ...(connection === undefined ? {} : { service: connection.baseUrl }) }
}
