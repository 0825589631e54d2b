/** `opsbook worker`: executes runs of a Temporal server, until a signal stops it. */

import { chooseDataDir, prepareDataDir, readRunConfiguration } from '../../project/configuration/index.ts'
import type { ServiceChoice } from '../../project/connections/index.ts'
import { CommandError, type DataDirFlags } from '../../project/index.ts'
import { readTemporalSettings } from '../../project/temporal/index.ts'
import { answer, type CommandContext, tell } from '../shared/context.ts'
import { type ExitCode, exitCodes } from '../shared/exit-codes.ts'
import { readListen } from '../shared/read-listen.ts'
import { untilStopped } from '../shared/stop-signals.ts'
import { startConfiguredWorker, type WorkerShape } from './start-configured-worker.ts'

/** The flags of `worker`, as the parser hands them over. */
export interface WorkerFlags extends ServiceChoice, DataDirFlags {
  readonly role: 'both' | 'runs' | 'calls'
  /** Host and port. */
  readonly listen?: string
  readonly allowHost?: readonly string[]
  readonly deployment?: string
  readonly buildId?: string
  readonly claimQueue?: boolean
}

/** Runs a worker until a stop signal. A line on stdout reports when it is ready. */
export async function worker(context: CommandContext, options: WorkerFlags): Promise<ExitCode> {
  const configuration = await readRunConfiguration(context.io)
  const settings = readTemporalSettings(configuration, context.io)
  const dataDir = chooseDataDir(options.dataDir, configuration, context.io)
  await prepareDataDir(dataDir)
  const place = { configuration, settings, dataDir }
  const running = await startConfiguredWorker(context, options, place, readShape(options))
  const { address, namespace, taskQueue } = settings
  const stopped = untilStopped(context.io, (line) => tell(context, line))
  answer(context, `worker ready: task queue "${taskQueue}" of "${namespace}" at ${address}`)
  try {
    await Promise.race([stopped, running.ended])
  } finally {
    await running.stop()
  }
  return exitCodes.succeeded
}

/** Reads the flags that describe the worker itself. */
function readShape({ role, listen, allowHost, deployment, buildId, claimQueue }: WorkerFlags): WorkerShape {
  if ((deployment === undefined) !== (buildId === undefined))
    throw usageError('--deployment and --build-id belong together: a version is a build of a deployment')
  return {
    role,
    ...(allowHost === undefined ? {} : { hostNames: allowHost }),
    ...(claimQueue ? { claimsQueue: true } : {}),
    ...(listen === undefined ? {} : { listen: readListen(listen, '127.0.0.1:8081') }),
    ...(deployment === undefined || buildId === undefined
      ? {}
      : { deployment: { name: deployment, buildId } }),
  }
}

function usageError(message: string): CommandError {
  return new CommandError('usage', message)
}
