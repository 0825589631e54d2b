import { loadClientConnectConfig } from '@temporalio/envconfig'
import type { TemporalSettings } from '../../engine/temporal/connection.ts'
import { CommandError } from '../command-error.ts'
import type { Configuration } from '../configuration/read-configuration.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Io } from '../io.ts'

/** What is taken where nothing is configured: the usual address of a server on this machine. */
const usual = { address: 'localhost:7233', namespace: 'default', taskQueue: 'opsbook' } as const

/**
 * Which server, and where on it: the environment as all programs for Temporal read it, then `temporal` in `opsbook.yaml`,
 * then the configuration file of Temporal.
 */
export function readTemporalSettings({ document }: Configuration, { env }: Io): TemporalSettings {
  const own = document.temporal ?? {}
  const fromEnvironment = load(env, true)
  const all = load(env, false)
  const { tls, apiKey, metadata } = all.connectionOptions
  return {
    address:
      fromEnvironment.connectionOptions.address ??
      own.address ??
      all.connectionOptions.address ??
      usual.address,
    namespace: fromEnvironment.namespace ?? own.namespace ?? all.namespace ?? usual.namespace,
    taskQueue: env['OPSBOOK_TASK_QUEUE'] ?? own['task-queue'] ?? usual.taskQueue,
    ...(tls === undefined || tls === null ? {} : { tls }),
    ...(typeof apiKey === 'string' ? { apiKey } : {}),
    ...(metadata === undefined ? {} : { metadata: metadata as Record<string, string> }),
  }
}

function load(env: Io['env'], disableFile: boolean): ReturnType<typeof loadClientConnectConfig> {
  const overrideEnvVars = Object.fromEntries(
    // A variable that is empty says nothing.
    Object.entries(env).flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [[name, name === tlsVariable ? readSwitch(value) : value]],
    ),
  )
  try {
    return loadClientConnectConfig({ overrideEnvVars, disableFile })
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause)
    throw new CommandError(
      exitCodes.environment,
      `the configuration of Temporal cannot be used: ${message}`,
      {
        hints: ['check the TEMPORAL_ variables, and the file that TEMPORAL_CONFIG_FILE names'],
        cause,
      },
    )
  }
}

const tlsVariable = 'TEMPORAL_TLS'

/** Left to itself, the library takes every word that it does not know for "off". */
function readSwitch(text: string): string {
  const word = text.toLowerCase()
  if (['true', 'false', '1', '0'].includes(word)) return word
  throw new CommandError(
    exitCodes.environment,
    `${tlsVariable} is neither true nor false: ${JSON.stringify(text)}`,
    { hints: ['set it to true or 1, or to false or 0'] },
  )
}
