/** `opsbook replay-check`: whether the workers of this version could go on with the runs that are open. */
import { connectClient } from '../../engine/temporal/connection.ts'
import { prepareRuntime } from '../../engine/temporal/worker/prepare-runtime.ts'
import { type ReplayedRun, replayOpenRuns } from '../../engine/temporal/worker/replay-open-runs.ts'
import type { OutputFlags } from '../commands/options.ts'
import { readConfiguration } from '../configuration/index.ts'
import { answer, answerJson, type CommandContext } from '../context.ts'
import { readTemporalSettings } from '../engine/temporal-settings.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'

/** Replays the open runs of the task queue, and says which of them this version could not go on with. */
export async function replayCheck(context: CommandContext, { output }: OutputFlags): Promise<ExitCode> {
  const settings = readTemporalSettings(await readConfiguration(context.io), context.io)
  const { taskQueue, namespace, address } = settings
  // The SDK says by itself, and at length, what is said here in a line for each run.
  prepareRuntime(() => {})
  const client = await connectClient(settings)
  const runs: ReplayedRun[] = []
  try {
    for await (const run of replayOpenRuns({ client, taskQueue })) runs.push(run)
  } finally {
    await client.connection.close()
  }
  const stuck = runs.filter(({ problem }) => problem !== undefined)
  if (output === 'json') {
    answerJson(context, {
      runs: runs.map(({ runId, problem }) => ({
        run_id: runId,
        ...(problem === undefined ? {} : { problem }),
      })),
    })
  } else {
    const place = `task queue "${taskQueue}" of "${namespace}" at ${address}`
    answer(context, [
      ...stuck.map(({ runId, problem }) => `✖ ${runId}: ${problem}`),
      runs.length === 0
        ? `no run is open: ${place}`
        : `${runs.length - stuck.length} of ${runs.length} open runs can go on: ${place}`,
    ])
  }
  return stuck.length === 0 ? exitCodes.succeeded : exitCodes.failed
}
