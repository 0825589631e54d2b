import type { Logger } from 'pino'
import { type Client, createClient, type RateBudget, type TargetLocks } from '../api/index.ts'
import { CommandError } from './command-error.ts'
import { type Configuration, type Connection, chooseConnection } from './configuration/index.ts'
import { type CommandContext, tell } from './context.ts'
import { exitCodes } from './exit-codes.ts'
import { openSandboxName, sandboxName } from './sandbox-name.ts'
import { requireSandbox } from './stays-inside.ts'

/** Which service a command talks to: the flags of `run`, `call` and `doctor`. */
export interface ServiceChoice {
  readonly connection?: string
  readonly sandbox?: boolean
  /** Steps and messages may leave the sandbox. */
  readonly allowOutside?: boolean
}

/** A connection, and the sandbox behind it where there is one. */
export interface OpenConnection {
  readonly connection: Connection
  close(): Promise<void>
}

/** The chosen connection; with `sandbox` one to a sandbox that lives as long as the command. Nothing is sent yet. */
export async function resolveConnection(
  choice: ServiceChoice,
  configuration: Configuration,
  context: CommandContext,
): Promise<OpenConnection> {
  requireSandbox(choice)
  if (!choice.sandbox) {
    const connection = await chooseConnection(choice.connection, configuration, context.io)
    return { connection, close: async () => {} }
  }
  if (choice.connection !== undefined) {
    throw new CommandError(exitCodes.usage, '--sandbox is a connection of its own; leave --connection out')
  }
  const { startSandbox } = await import('../sandbox/index.ts')
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

const sandboxKey = 'sandbox-owner'

/** The connection of steps that name none. Undefined: no step needs it, or none is configured. */
export interface RunService {
  readonly connection: Connection | undefined
  close(): Promise<void>
}

/** The connection of runs, whose keys are looked for only where a step needs it or a flag names one. */
export async function resolveRunService(
  choice: ServiceChoice,
  isNeeded: boolean,
  configuration: Configuration,
  context: CommandContext,
): Promise<RunService> {
  requireSandbox(choice)
  const isNamed = choice.sandbox === true || choice.connection !== undefined
  if (isNamed || isNeeded) return resolveConnection(choice, configuration, context)
  return { connection: undefined, close: async () => {} }
}

/** What the clients of one command have in common. */
export interface ClientShares {
  readonly budget: RateBudget
  readonly targetLocks: TargetLocks
}

/** The client of a connection. */
export function openClient(
  connection: Connection,
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
    // A proxy of the surroundings has no way to this process.
    ...(isSandbox ? { proxy: 'none' } : {}),
    ...(logger === undefined ? {} : { logger: asClientLogger(logger) }),
  })
}

type ClientLogger = NonNullable<Parameters<typeof createClient>[0]['logger']>

/** The client's log lines with the names that all our log lines use. */
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

/** Tells what is worth saying about what works. */
export function tellWarnings(from: Pick<Connection, 'warnings'> | undefined, context: CommandContext): void {
  const head = context.errorPaint.yellow('warning:')
  const warnings = from?.warnings ?? []
  if (warnings.length > 0)
    tell(
      context,
      warnings.map((warning) => `${head} ${warning}`),
    )
}
