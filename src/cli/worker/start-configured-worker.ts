import type { Logger } from 'pino'
import { createMask } from '../../core/mask/index.ts'
import { type Opened, openTogether } from '../../engine/index.ts'
import {
  connectClient,
  plainAccepted,
  protection,
  type TemporalSettings,
} from '../../engine/temporal/client/index.ts'
import { openTemporalLimits } from '../../engine/temporal/limits/index.ts'
import {
  connectWithRetries,
  prepareRuntime,
  type StartedWorker,
  startWorker,
  type WorkerOptions,
} from '../../engine/temporal/worker/index.ts'
import { checkInputs } from '../../load/index.ts'
import { loadActions } from '../../project/actions/index.ts'
import { openClients, resolveRunService } from '../../project/clients/index.ts'
import { type Configuration, publicUrls, readCallbacks } from '../../project/configuration/index.ts'
import {
  actionsFor,
  createSecretStore,
  hasDefaultConnection,
  type ServiceChoice,
} from '../../project/connections/index.ts'
import { findFreePort } from '../dev/server/index.ts'
import { type CommandContext, printWarnings, tell } from '../shared/context.ts'
import { chooseLogLevel, createLogger } from '../shared/logger.ts'
import { cannotListen, type ListenAddress } from '../shared/read-listen.ts'
import { openWorkerNotices } from './open-worker-notices.ts'
import { type HealthSource, serveHealth } from './serve-health.ts'

/** The server, the task queue and the data directory of a worker. */
export interface WorkerLocation {
  readonly configuration: Configuration
  readonly settings: TemporalSettings
  readonly dataDir: string
}

/** The role and the version of a worker, and its health address. */
export interface WorkerShape extends Pick<WorkerOptions, 'role' | 'deployment'> {
  /** The address of health and metrics. */
  readonly listen?: ListenAddress
  /** Host names that requests may use, besides IP addresses, `localhost` and its host. */
  readonly hostNames?: readonly string[]
  /** Claims the task queue if it belongs to another service. */
  readonly claimsQueue?: boolean
}

/** A worker waits for its server without a limit, since they can start in any order. */
const patienceMs = Number.POSITIVE_INFINITY

/** Starts a worker with the actions, connections and secrets of the configuration. Stopping it closes what it was given. */
export function startConfiguredWorker(
  context: CommandContext,
  choice: ServiceChoice,
  place: WorkerLocation,
  shape: WorkerShape = {},
): Promise<StartedWorker> {
  return openTogether((opened) => openWork(context, choice, place, shape, opened))
}

/** Serves the health of a worker. Resolves with the port for the metrics of the SDK. */
async function openHealth(
  { host, port }: ListenAddress,
  source: Omit<HealthSource, 'metricsPort'>,
  opened: Opened,
): Promise<number> {
  const metricsPort = await findFreePort()
  const server = await serveHealth({ ...source, metricsPort }, port, host).catch(
    (cause: NodeJS.ErrnoException) => {
      throw cannotListen('--listen', { host, port }, cause)
    },
  )
  opened.add(() => server.close())
  return metricsPort
}

async function openWork(
  context: CommandContext,
  choice: ServiceChoice,
  { configuration, settings, dataDir }: WorkerLocation,
  { listen, hostNames = [], claimsQueue, ...shape }: WorkerShape,
  opened: Opened,
): Promise<StartedWorker> {
  const { io } = context
  let worker: StartedWorker | undefined
  const isReady = async (): Promise<boolean> => (await worker?.isReady()) ?? false
  // First, so that a worker whose address is in use takes no work.
  const metricsPort = listen && (await openHealth(listen, { isReady, hostNames }, opened))
  const actions = actionsFor(choice, await loadActions(io))
  const isThere = hasDefaultConnection(configuration, io)
  const { connection, close } = await resolveRunService(choice, isThere, configuration, context)
  opened.add(close)
  printWarnings(connection ?? { warnings: [noConnection] }, context)
  const mask = createMask(connection === undefined ? [] : [connection.appKey])
  const logger: Logger | undefined = await createLogger(
    chooseLogLevel(context, io.stderr.isTTY ? 'warn' : 'info'),
    io,
    mask,
  )
  // Before the runtime, which without a worker would keep the process alive.
  await connectWithRetries(
    async () => (await connectClient(settings)).connection.close(),
    patienceMs,
    (why) => tell(context, `still waiting for the server: ${why}`),
  )
  prepareRuntime(
    ({ level, message, fields }) => {
      // Each queue has one kind of work, as intended.
      if (!/^No .* registered, not polling/.test(message)) logger?.[level](fields, message)
    },
    metricsPort === undefined ? {} : { metricsPort },
  )
  const limits =
    choice.sandbox === true || shape.role === 'runs'
      ? undefined
      : await openTemporalLimits(settings, { warn: (message) => logger?.warn({}, message) })
  if (limits) opened.add(() => limits.close())
  const clients = openClients(
    {
      connection,
      service: choice,
      configuration,
      logger,
      limits,
      onConnection: ({ secrets }) => {
        for (const secret of secrets) mask.hide(secret)
      },
    },
    io,
  )
  opened.add(() => clients.close())
  const callbacks = await readCallbacks(configuration, io)
  if (callbacks) mask.hide(callbacks.key)
  const secrets = createSecretStore(configuration, io, mask.hide)
  const notices = await openWorkerNotices(context, { configuration, settings }, choice, mask)
  if (notices) opened.add(() => notices.close())
  const started = await startWorker({
    ...settings,
    ...shape,
    claim: {
      service: (choice.sandbox ? connection?.name : connection?.baseUrl) ?? '',
      isTakenOver: claimsQueue === true,
    },
    maxConnectWaitMs: patienceMs,
    actions,
    connect: clients.connect,
    checkInputs,
    ...(callbacks === undefined ? {} : { callbacks }),
    ...publicUrls(configuration),
    people: configuration.document.people ?? {},
    dataDir,
    ...(notices === undefined ? {} : { notices }),
    secrets,
  })
  worker = started
  const { namespace, taskQueue: queue, address } = settings
  logger?.info({ address, namespace, queue }, 'worker started')
  if (protection() === 'plain-accepted') logger?.warn({}, plainAccepted)
  return {
    ...started,
    async stop() {
      logger?.info('worker stops once its calls have ended')
      try {
        await started.stop()
      } finally {
        await opened.close()
      }
      logger?.info('worker stopped')
    },
  }
}

const noConnection =
  'no default connection is configured: steps that call the service without naming one will fail'
