import type { Client } from '@temporalio/client'
import { loadClientConnectConfig } from '@temporalio/envconfig'
import { type Action, insideSandbox } from '../../actions/index.ts'
import type { TemporalSettings } from '../../engine/temporal/client/index.ts'
import { closedSandbox, readQueueService } from '../../engine/temporal/worker/index.ts'
import { CommandError } from '../command-error.ts'
import { type Configuration, requirePart } from '../configuration/read-configuration.ts'
import type { Surroundings } from '../surroundings.ts'
import { usualTemporal } from '../usual-addresses.ts'

/**
 * Reads the settings of the server: from the TEMPORAL_ variables, then from `temporal` in `opsbook.yaml`, then from the
 * configuration file of Temporal.
 */
export function readTemporalSettings(configuration: Configuration, { env }: Surroundings): TemporalSettings {
  requirePart(configuration, 'temporal')
  const own = configuration.document.temporal ?? {}
  const fromEnvironment = load(env, true)
  const all = load(env, false)
  const { tls, apiKey, metadata } = all.connectionOptions
  return {
    address:
      fromEnvironment.connectionOptions.address ??
      own.address ??
      all.connectionOptions.address ??
      usualTemporal.address,
    namespace: fromEnvironment.namespace ?? own.namespace ?? all.namespace ?? usualTemporal.namespace,
    taskQueue: env['OPSBOOK_TASK_QUEUE'] ?? own['task-queue'] ?? usualTemporal.taskQueue,
    ...(tls === undefined || tls === null ? {} : { tls }),
    ...(typeof apiKey === 'string' ? { apiKey } : {}),
    ...(metadata === undefined ? {} : { metadata: metadata as Record<string, string> }),
  }
}

function load(env: Surroundings['env'], disableFile: boolean): ReturnType<typeof loadClientConnectConfig> {
  const overrideEnvVars = Object.fromEntries(
    // An empty variable counts as not set.
    Object.entries(env).flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [[name, name === tlsVariable ? readSwitch(value) : value]],
    ),
  )
  try {
    return loadClientConnectConfig({ overrideEnvVars, disableFile })
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause)
    throw new CommandError('environment', `the configuration of Temporal cannot be used: ${message}`, {
      hints: ['check the TEMPORAL_ variables, and the file that TEMPORAL_CONFIG_FILE names'],
      cause,
    })
  }
}

const tlsVariable = 'TEMPORAL_TLS'

/** Reads a boolean. The library would take every unknown word for "off". */
function readSwitch(text: string): string {
  const word = text.toLowerCase()
  if (['true', 'false', '1', '0'].includes(word)) return word
  throw new CommandError('environment', `${tlsVariable} is neither true nor false: ${JSON.stringify(text)}`, {
    hints: ['set it to true or 1, or to false or 0'],
  })
}

/**
 * The actions that the workers of a task queue allow, as far as the server knows: a run that would leave their sandbox is
 * refused before it starts. Otherwise the worker refuses the step.
 */
export async function actionsOfQueue(
  client: Client,
  taskQueue: string,
  actions: readonly Action[],
): Promise<readonly Action[]> {
  const service = await readQueueService(client, taskQueue).catch(() => undefined)
  return service === closedSandbox ? insideSandbox(actions) : actions
}
