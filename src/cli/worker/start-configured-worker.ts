import type { Logger } from 'pino'
import { createMask } from '../../core/mask/mask.ts'
import { type Opened, openTogether } from '../../engine/opened.ts'
import { connectClient, type TemporalSettings } from '../../engine/temporal/connection.ts'
import { openTemporalLimits } from '../../engine/temporal/limiter/index.ts'
import { connectPatiently } from '../../engine/temporal/worker/connect-patiently.ts'
import { prepareRuntime } from '../../engine/temporal/worker/prepare-runtime.ts'
import {
  type StartedWorker,
  startWorker,
  type WorkerOptions,
} from '../../engine/temporal/worker/start-worker.ts'
import { checkInputs } from '../../load/index.ts'
import { type Configuration, createSecretStore, hasDefaultConnection } from '../configuration/index.ts'
import { type CommandContext, tell } from '../context.ts'
import { loadActions } from '../load-actions.ts'
import { chooseLogLevel } from '../log-level.ts'
import { createLogger } from '../logger.ts'
import { openClients } from '../open-clients.ts'
import { resolveRunService, type ServiceChoice, tellWarnings } from '../open-service.ts'
import type { ListenAddress } from '../read-listen.ts'
import { actionsFor } from '../stays-inside.ts'
import { openHealth } from './open-health.ts'
import { openWorkerNotices } from './open-worker-notices.ts'

/** Where a worker takes its work from, and where its files are. */
export interface WorkerPlace {
  readonly configuration: Configuration
  readonly settings: TemporalSettings
  readonly dataDir: string
}

/** What a worker takes, and what it says of itself. */
export interface WorkerShape extends Pick<WorkerOptions, 'role' | 'deployment'> {
  /** Where it tells how it is. */
  readonly listen?: ListenAddress
  /** What requests to it may name, besides IP addresses, `localhost` and its host. */
  readonly hostNames?: readonly string[]
  /** It gets the task queue also where that belongs to another service. */
  readonly claimsQueue?: boolean
}

/** Starts a worker with the actions, connections and secrets of the configuration. Stopping it closes what it was given. */
export async function startConfiguredWorker(
  context: CommandContext,
  choice: ServiceChoice,
  place: WorkerPlace,
  { listen, hostNames = [], ...shape }: WorkerShape = {},
): Promise<StartedWorker> {
  if (listen === undefined) return startWork(context, choice, place, shape)
  // First of all: a worker whose address is taken takes no work.
  const health = await openHealth(listen, hostNames)
  try {
    const started = await startWork(context, choice, place, { ...shape, metricsPort: health.metricsPort })
    health.watch(started.isReady)
    return {
      ...started,
      async stop() {
        await started.stop()
        await health.close()
      },
    }
  } catch (thrown) {
    await health.close()
    throw thrown
  }
}

interface WorkShape extends Omit<WorkerShape, 'listen' | 'hostNames'> {
  readonly metricsPort?: number
}

/** A worker and its server may start in any order: it waits for as long as that takes. */
const patienceMs = Number.POSITIVE_INFINITY

function startWork(
  context: CommandContext,
  choice: ServiceChoice,
  place: WorkerPlace,
  shape: WorkShape,
): Promise<StartedWorker> {
  return openTogether((opened) => openWork(context, choice, place, shape, opened))
}

async function openWork(
  context: CommandContext,
  choice: ServiceChoice,
  { configuration, settings, dataDir }: WorkerPlace,
  { metricsPort, claimsQueue, ...shape }: WorkShape,
  opened: Opened,
): Promise<StartedWorker> {
  const { io } = context
  const actions = actionsFor(choice, await loadActions(io))
  const isThere = hasDefaultConnection(configuration, io)
  const { connection, close } = await resolveRunService(choice, isThere, configuration, context)
  opened.add(close)
  tellWarnings(connection ?? { warnings: [noConnection] }, context)
  const mask = createMask(connection === undefined ? [] : [connection.appKey])
  const logger: Logger | undefined = await createLogger(
    chooseLogLevel(context, io.stderr.isTTY ? 'warn' : 'info'),
    io,
    mask,
  )
  // Before the runtime: once that is there, and no worker, it keeps the process alive.
  await connectPatiently(
    async () => (await connectClient(settings)).connection.close(),
    patienceMs,
    (why) => tell(context, `still waiting for the server: ${why}`),
  )
  prepareRuntime(
    ({ level, message, fields }) => {
      // One kind of work for each queue is how it is meant to be.
      if (!/^No .* registered, not polling/.test(message)) logger?.[level](fields, message)
    },
    metricsPort === undefined ? {} : { metricsPort },
  )
  const limits =
    choice.sandbox === true || shape.role === 'runs' ? undefined : await openTemporalLimits(settings)
  if (limits) opened.add(() => limits.close())
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
  opened.add(() => clients.close())
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
    patienceMs,
    actions,
    connect: clients.connect,
    checkInputs,
    dataDir,
    ...(notices === undefined ? {} : { notices }),
    secrets,
  })
  const { namespace, taskQueue: queue, address } = settings
  logger?.info({ address, namespace, queue }, 'worker started')
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
