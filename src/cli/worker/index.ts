/** `opsbook worker`: carries out runs of a Temporal server, until a signal ends it. */
import type { WorkerFlags } from '../commands/worker.ts'
import { chooseDataDir, prepareDataDir, readConfiguration } from '../configuration/index.ts'
import { answer, type CommandContext } from '../context.ts'
import { readTemporalSettings } from '../engine/temporal-settings.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { startConfiguredWorker } from './start-configured-worker.ts'

/** Runs a worker until SIGINT or SIGTERM. A line on stdout says when it is ready. */
export async function worker(context: CommandContext, options: WorkerFlags): Promise<ExitCode> {
  const configuration = await readConfiguration(context.io)
  const settings = readTemporalSettings(configuration, context.io)
  const dataDir = chooseDataDir(options.dataDir, configuration, context.io)
  await prepareDataDir(dataDir)
  const running = await startConfiguredWorker(context, options, { configuration, settings, dataDir })
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
