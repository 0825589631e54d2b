import type { Logger } from 'pino'
import type { HttpConnection } from '../../actions/index.ts'
import {
  type Client,
  createClient,
  createRateBudget,
  createTargetLocks,
  type RateBudget,
  type TargetLocks,
} from '../../api/index.ts'
import type { ErrorCode } from '../../core/errors.ts'
import { RunbookError } from '../../core/run-error.ts'
import type { SharedLimits } from '../../engine/embedded/index.ts'
import { CommandError } from '../command-error.ts'
import type { Configuration } from '../configuration/read-configuration.ts'
import type { HttpConnectionDocument } from '../configuration/schema/connections-schema.ts'
import { type ConfiguredConnection, chooseConnection, findHttpConnection } from '../connections/connection.ts'
import { openHttpConnection } from '../connections/http-connection.ts'
import { requireSandbox, type ServiceChoice, staysInSandbox } from '../connections/service-choice.ts'
import { openSandboxName, sandboxName } from '../sandbox-name.ts'
import type { ProjectContext, Surroundings } from '../surroundings.ts'

/** A connection, and its sandbox if it has one. */
export interface OpenedConnection {
  readonly connection: ConfiguredConnection
  close(): Promise<void>
}

/** Resolves the chosen connection; with `sandbox`, starts a sandbox that lives as long as the command. Sends nothing. */
export async function resolveConnection(
  choice: ServiceChoice,
  configuration: Configuration,
  context: ProjectContext,
): Promise<OpenedConnection> {
  requireSandbox(choice)
  if (!choice.sandbox) {
    const connection = await chooseConnection(choice.connection, configuration, context.io)
    return { connection, close: async () => {} }
  }
  if (choice.connection !== undefined)
    throw new CommandError('usage', '--sandbox and --connection cannot be combined')
  const { startSandbox } = await import('../../sandbox/index.ts')
  const sandbox = await startSandbox()
  const connection = {
    name: choice.allowOutside ? openSandboxName : sandboxName,
    baseUrl: sandbox.url,
    appKey: sandboxKey,
    origin: '--sandbox',
    warnings: [],
  }
  return { connection, close: () => sandbox.close() }
}

/** The key of commands that have a sandbox of their own. */
export const sandboxKey = 'sandbox-owner'

/** The default connection of a run. Undefined: no step needs it, or none is configured. */
export interface RunService {
  readonly connection: ConfiguredConnection | undefined
  close(): Promise<void>
}

/** Resolves the default connection of runs. Its key is read only if a step needs it or a flag names it. */
export async function resolveRunService(
  choice: ServiceChoice,
  isNeeded: boolean,
  configuration: Configuration,
  context: ProjectContext,
): Promise<RunService> {
  requireSandbox(choice)
  const isNamed = choice.sandbox === true || choice.connection !== undefined
  if (isNamed || isNeeded) return resolveConnection(choice, configuration, context)
  return { connection: undefined, close: async () => {} }
}

/** The limits that the clients of one command share. */
export interface ClientShares {
  readonly budget: RateBudget
  readonly targetLocks: TargetLocks
}

/** The client of a connection. */
export function openClient(
  connection: ConfiguredConnection,
  isSandbox: boolean,
  logger: Logger | undefined,
  shares?: ClientShares,
): Client {
  const { baseUrl, appKey, account, acceptLanguage } = connection
  return createClient({
    baseUrl,
    appKey,
    ...(account === undefined ? {} : { account }),
    ...(acceptLanguage === undefined ? {} : { acceptLanguage }),
    ...(shares === undefined ? {} : { budget: shares.budget, targetLocks: shares.targetLocks }),
    // A proxy cannot reach the sandbox in this process.
    ...(isSandbox ? { proxy: 'none' } : {}),
    ...(logger === undefined ? {} : { logger: asClientLogger(logger) }),
  })
}

type ClientLogger = NonNullable<Parameters<typeof createClient>[0]['logger']>

/** Adapts the log lines of the client to the field names of the command. */
function asClientLogger(logger: Logger): ClientLogger {
  type Fields = Parameters<ClientLogger['debug']>[0]
  const named = ({ operation, attempt, durationMs, requestId, code }: Fields): object => ({
    action: operation,
    attempt,
    duration_ms: durationMs,
    request_id: requestId,
    code,
  })
  return {
    debug: (fields, message) => logger.debug(named(fields), message),
    warn: (fields, message) => logger.warn(named(fields), message),
  }
}

/** The connections of one run, all with the same rate limits and target locks. */
export interface Clients {
  /** A connection, by the name that a step gives; without a name the default one. */
  connect(name: string | undefined): Promise<Client | HttpConnection>
  close(): Promise<void>
}

/** What the clients of a run are opened with. */
export interface ClientsOptions {
  /** The default connection. Undefined: it is resolved when a step needs it. */
  readonly connection: ConfiguredConnection | undefined
  readonly service: ServiceChoice
  readonly configuration: Configuration
  readonly logger: Logger | undefined
  /** Limits that other processes share; without them the clients share limits among themselves. */
  readonly limits: SharedLimits | undefined
  /** Called with each further connection before it is used. */
  onConnection(connection: FurtherConnection): void
}

/** What a further connection must not show, and warnings about it. */
export interface FurtherConnection {
  readonly secrets: readonly string[]
  readonly warnings: readonly string[]
}

/** Opens clients when steps need them. With a sandbox, all steps use its client. */
export function openClients(options: ClientsOptions, io: Surroundings): Clients {
  const { connection, service, configuration, logger } = options
  const isSandbox = service.sandbox === true
  const shares: ClientShares = options.limits ?? {
    budget: createRateBudget(),
    targetLocks: createTargetLocks(),
  }
  const opened = new Map<string | undefined, Promise<Client | HttpConnection>>()
  // In a closed sandbox no step can use one.
  const findHttp = (name: string | undefined): HttpConnectionDocument | undefined =>
    name === undefined || staysInSandbox(service) ? undefined : findHttpConnection(name, configuration)
  const open = async (name: string | undefined): Promise<Client | HttpConnection> => {
    const http = findHttp(name)
    if (http !== undefined && name !== undefined) {
      const other = await openHttpConnection(name, http, configuration, io, shares.budget).catch((cause) => {
        throw notConfigured(cause, 'MissingSecret')
      })
      options.onConnection({ secrets: other.connection.secrets, warnings: other.warnings })
      return other.connection
    }
    if (connection && (isSandbox || name === connection.name))
      return openClient(connection, isSandbox, logger, shares)
    const other = await chooseConnection(name, configuration, io).catch((cause) => {
      throw notConfigured(cause, 'MissingKey')
    })
    options.onConnection({ secrets: [other.appKey], warnings: other.warnings })
    return openClient(other, false, logger, shares)
  }
  return {
    connect(name = connection?.name) {
      const key = isSandbox && findHttp(name) === undefined ? connection?.name : name
      const client = opened.get(key) ?? open(key)
      opened.set(key, client)
      return client
    },
    async close() {
      const clients = await Promise.allSettled(opened.values())
      await Promise.all(
        clients.map((client) => (client.status === 'fulfilled' ? client.value.close() : undefined)),
      )
    },
  }
}

/** Makes a configuration error the failure of a step. */
function notConfigured(cause: unknown, missing: ErrorCode): unknown {
  if (!(cause instanceof CommandError)) return cause
  const code = cause.kind === 'usage' ? 'InvalidInput' : missing
  return new RunbookError(code, [cause.message, ...cause.hints].join('; '), { notSent: true, cause })
}
