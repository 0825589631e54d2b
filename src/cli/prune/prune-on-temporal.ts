import { pruneFiles } from '../../engine/temporal/client/prune-files.ts'
import { serverError } from '../../engine/temporal/client/talk-to-run.ts'
import { connectClient } from '../../engine/temporal/connection.ts'
import { CommandError } from '../command-error.ts'
import type { PruneFlags } from '../commands/prune.ts'
import type { Configuration } from '../configuration/read-configuration.ts'
import { answer, answerJson, type CommandContext } from '../context.ts'
import { readTemporalSettings } from '../engine/temporal-settings.ts'
import { exitCodes } from '../exit-codes.ts'
import { forgottenLines } from './prune-lines.ts'

/** What is removed on Temporal. */
export interface TemporalPrune {
  readonly configuration: Configuration
  readonly dataDir: string
  readonly writtenBeforeMs: number
  readonly isDryRun: boolean
}

/** Removes the files of runs that the server has forgotten, and says which. */
export async function pruneOnTemporal(
  context: CommandContext,
  flags: PruneFlags,
  { configuration, ...what }: TemporalPrune,
): Promise<void> {
  refuseFilters(flags)
  const settings = readTemporalSettings(configuration, context.io)
  const client = await connectClient(settings)
  try {
    const runs = await pruneFiles({ client, ...what }).catch((thrown: unknown) => {
      throw serverError(thrown, { client, taskQueue: settings.taskQueue })
    })
    const { isDryRun, writtenBeforeMs } = what
    const facts = { is_dry_run: isDryRun, written_before: new Date(writtenBeforeMs).toISOString() }
    if (flags.output === 'json') answerJson(context, { ...facts, runs })
    else answer(context, forgottenLines(runs, what, context.paint))
  } finally {
    await client.connection.close()
  }
}

/** Nobody knows any more what became of them, or of which runbook they were. */
function refuseFilters({ status, runbook }: PruneFlags): void {
  const flag = status !== undefined ? '--status' : runbook !== undefined ? '--runbook' : undefined
  if (flag === undefined) return
  const message = `${flag} is for the embedded engine: on Temporal only files of runs are removed that the server has forgotten`
  throw new CommandError(exitCodes.usage, message, {
    hints: ['how long the server keeps runs is the retention of the namespace'],
  })
}
