/** `opsbook worker`: carries out runs of a Temporal server, until a signal ends it. */
import { CommandError } from '../command-error.ts'
import type { WorkerFlags } from '../commands/worker.ts'
import { chooseDataDir, prepareDataDir, readRunConfiguration } from '../configuration/index.ts'
import { answer, type CommandContext } from '../context.ts'
import { readTemporalSettings } from '../engine/temporal-settings.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { readListen } from '../read-listen.ts'
import { startConfiguredWorker, type WorkerShape } from './start-configured-worker.ts'

/** Runs a worker until SIGINT or SIGTERM. A line on stdout says when it is ready. */
export async function worker(context: CommandContext, options: WorkerFlags): Promise<ExitCode> {
  const configuration = await readRunConfiguration(context.io)
  const settings = readTemporalSettings(configuration, context.io)
  const dataDir = chooseDataDir(options.dataDir, configuration, context.io)
  await prepareDataDir(dataDir)
  const place = { configuration, settings, dataDir }
  const running = await startConfiguredWorker(context, options, place, readShape(options))
  const { address, namespace, taskQueue } = settings
  const stopped = new Promise<void>((stop) => {
    // Listens on until the end: a second press of Ctrl-C does not spoil a clean exit.
    context.io.onStopSignal(() => stop())
  })
  answer(context, `worker ready: task queue "${taskQueue}" of "${namespace}" at ${address}`)
  try {
    await Promise.race([stopped, running.ended])
  } finally {
    await running.stop()
  }
  return exitCodes.succeeded
}

/** What a worker is besides where it works. */
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
  return new CommandError(exitCodes.usage, message)
}
