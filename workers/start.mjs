// A worker as a process of its own, configured by its environment alone. `opsbook worker` does the same with the
// connections and actions of opsbook.yaml; here is the place for code of a project: its actions, its secrets.
import { checkInputs, createActions } from 'opsbook'
import { createClient } from 'opsbook/api'
import {
  connectWithRetries,
  openTemporalLimits,
  prepareRuntime,
  serveHealth,
  startWorker,
} from 'opsbook/temporal'
import { pino } from 'pino'

const need = (name) => {
  const value = process.env[name]
  if (value) return value
  console.error(`${name} is not set`)
  process.exit(5)
}

const openService = ({ budget, targetLocks }) =>
  createClient({
    baseUrl: need('OPSBOOK_BASE_URL'),
    appKey: need('OPSBOOK_APP_KEY'),
    budget,
    targetLocks,
  })

/** Carries out runs, makes their calls, or does both, until SIGTERM or SIGINT. */
export async function start(role) {
  const logger = pino({ level: process.env.OPSBOOK_LOG_LEVEL ?? 'info' })
  const settings = {
    address: process.env.TEMPORAL_ADDRESS ?? '127.0.0.1:7233',
    namespace: process.env.TEMPORAL_NAMESPACE ?? 'default',
    taskQueue: process.env.OPSBOOK_TASK_QUEUE ?? 'opsbook',
  }
  const healthPort = Number(process.env.OPSBOOK_HEALTH_PORT ?? 8080)
  const metricsPort = Number(process.env.OPSBOOK_METRICS_PORT ?? 9464)
  prepareRuntime(({ level, message, fields }) => logger[level](fields, message), { metricsPort })
  let worker
  const health = await serveHealth(
    {
      isReady: async () => (await worker?.isReady()) ?? false,
      metricsPort,
      hostNames: process.env.OPSBOOK_HEALTH_ALLOW_HOST?.split(',') ?? [],
    },
    healthPort,
    process.env.OPSBOOK_HEALTH_HOST ?? '0.0.0.0',
  )
  const { OPSBOOK_DEPLOYMENT: name, OPSBOOK_BUILD_ID: buildId } = process.env
  // Workers and server often start together.
  const limits = await connectWithRetries(
    async () => (role === 'runs' ? undefined : openTemporalLimits(settings)),
    Number.POSITIVE_INFINITY,
    (why) => logger.warn(`still waiting for the server: ${why}`),
  ).catch((error) => {
    logger.error(error.message)
    process.exit(5)
  })
  const service = limits && openService(limits)
  worker = await startWorker({
    ...settings,
    role,
    actions: createActions([]),
    checkInputs,
    dataDir: need('OPSBOOK_DATA_DIR'),
    connect: () => service,
    secrets: { resolve: async (secret) => need(secret) },
    patienceMs: 60_000,
    // Workers of another service must not take calls from the same queue.
    ...(service && { claim: { service: need('OPSBOOK_BASE_URL') } }),
    ...(name && buildId ? { deployment: { name, buildId } } : {}),
  })
  logger.info({ ...settings, role }, 'worker started')
  const stop = async (signal) => {
    logger.info({ signal }, 'worker stops once its calls have ended')
    await worker.stop()
  }
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => void stop(signal))
  await worker.ended
  await service?.close()
  await limits?.close()
  await health.close()
  logger.info('worker stopped')
}
