import type { Logger } from 'pino'
import type { TemporalSettings } from '../../engine/temporal/connection.ts'
import { prepareRuntime } from '../../engine/temporal/worker/prepare-runtime.ts'
import { type StartedWorker, startWorker } from '../../engine/temporal/worker/start-worker.ts'
import { checkInputs } from '../../load/index.ts'
import { type Configuration, createSecretStore } from '../configuration/index.ts'
import type { CommandContext } from '../context.ts'
import { loadActions } from '../load-actions.ts'
import { chooseLogLevel } from '../log-level.ts'
import { createLogger } from '../logger.ts'
import { openClients } from '../open-clients.ts'
import { resolveConnection, type ServiceChoice, tellWarnings } from '../open-service.ts'
import { shareLimits } from '../share-limits.ts'
import { createMask } from '../terminal/mask.ts'

/** Where a worker takes its work from, and where its files are. */
export interface WorkerPlace {
  readonly configuration: Configuration
  readonly settings: TemporalSettings
  readonly dataDir: string
}

/** Starts a worker with the actions, connections and secrets of the configuration. Stopping it closes what it was given. */
export async function startConfiguredWorker(
  context: CommandContext,
  choice: ServiceChoice,
  { configuration, settings, dataDir }: WorkerPlace,
): Promise<StartedWorker> {
  const { io } = context
  const actions = await loadActions(io)
  const { connection, close } = await resolveConnection(choice, configuration, context)
  tellWarnings(connection, context)
  const mask = createMask([connection.appKey])
  const logger: Logger | undefined = await createLogger(
    chooseLogLevel(context, io.stderr.isTTY ? 'warn' : 'info'),
    io,
    mask,
  )
  prepareRuntime(({ level, message, fields }) => {
    // One kind of work for each queue is how it is meant to be.
    if (!/^No .* registered, not polling/.test(message)) logger?.[level](fields, message)
  })
  const { limits, warnings } = await shareLimits(dataDir, choice)
  for (const warning of warnings) logger?.warn(warning)
  const clients = openClients(
    {
      connection,
      isSandbox: choice.sandbox === true,
      configuration,
      logger,
      limits,
      onConnection: ({ appKey }) => mask.hide(appKey),
    },
    io,
  )
  const secrets = createSecretStore(configuration, io)
  const closeAll = async (): Promise<void> => {
    await clients.close()
    limits?.close()
    await close()
  }
  try {
    const started = await startWorker({
      ...settings,
      actions,
      connect: clients.connect,
      checkInputs,
      dataDir,
      secrets: {
        async resolve(name) {
          const value = await secrets.resolve(name)
          mask.hide(value)
          return value
        },
      },
    })
    const { namespace, taskQueue: queue, address } = settings
    logger?.info({ address, namespace, queue }, 'worker started')
    return {
      ...started,
      async stop() {
        logger?.info('worker stops once its calls have ended')
        await started.stop()
        await closeAll()
        logger?.info('worker stopped')
      },
    }
  } catch (thrown) {
    await closeAll()
    throw thrown
  }
}
