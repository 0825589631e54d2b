import type { Logger } from 'pino'
import { type Client, createRateBudget, createTargetLocks } from '../api/index.ts'
import { RunbookError } from '../core/run-error.ts'
import type { SharedLimits } from '../engine/embedded/index.ts'
import { CommandError } from './command-error.ts'
import { type Configuration, type Connection, chooseConnection } from './configuration/index.ts'
import { exitCodes } from './exit-codes.ts'
import type { Io } from './io.ts'
import { type ClientShares, openClient } from './open-service.ts'

/** The clients of one run: one for each connection, all on one rate budget and the same target locks. */
export interface Clients {
  /** The client of a connection, by the name that a step gives; without a name the default one. */
  connect(name: string | undefined): Promise<Client>
  close(): Promise<void>
}

/** What the clients of a run are opened with. */
export interface ClientsOptions {
  /** The default one. Undefined: it is looked for when a step asks for it. */
  readonly connection: Connection | undefined
  readonly isSandbox: boolean
  readonly configuration: Configuration
  readonly logger: Logger | undefined
  /** What is shared with other processes; without it the clients share among themselves. */
  readonly limits: SharedLimits | undefined
  /** Told of each other connection before its key is used. */
  onConnection(connection: Connection): void
}

/** Opens clients as they are asked for. With a sandbox there is only that one, whatever a step names. */
export function openClients(options: ClientsOptions, io: Io): Clients {
  const { connection, isSandbox, configuration, logger } = options
  const shares: ClientShares = options.limits ?? {
    budget: createRateBudget(),
    targetLocks: createTargetLocks(),
  }
  const opened = new Map<string | undefined, Promise<Client>>()
  const open = async (name: string | undefined): Promise<Client> => {
    if (connection && (isSandbox || name === connection.name))
      return openClient(connection, isSandbox, logger, shares)
    const other = await chooseConnection(name, configuration, io).catch((cause) => {
      throw notConfigured(cause)
    })
    options.onConnection(other)
    return openClient(other, false, logger, shares)
  }
  return {
    connect(name = connection?.name) {
      const key = isSandbox ? connection?.name : name
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

/** Inside a run it is the failure of a step, which has a code. */
function notConfigured(cause: unknown): unknown {
  if (!(cause instanceof CommandError)) return cause
  const code = cause.exitCode === exitCodes.usage ? 'InvalidInput' : 'MissingKey'
  return new RunbookError(code, [cause.message, ...cause.hints].join('; '), { notSent: true, cause })
}
