import {
  connectClient,
  type ForgottenRun,
  pruneFiles,
  serverError,
} from '../../engine/temporal/client/index.ts'
import { CommandError } from '../shared/command-error.ts'
import type { Configuration } from '../shared/configuration/read-configuration.ts'
import { answer, answerJson, type CommandContext } from '../shared/context.ts'
import { readTemporalSettings } from '../shared/engine/temporal-settings.ts'
import { exitCodes } from '../shared/exit-codes.ts'
import type { OutputFlags } from '../shared/options.ts'
import { columns } from '../shared/terminal/columns.ts'
import type { Paint } from '../shared/terminal/paint.ts'
import { printableLine } from '../shared/terminal/printable.ts'
import { countText, momentText, sizeText } from '../shared/terminal/quantity-text.ts'

/** The filters that only the embedded engine can apply: the server keeps no record to filter by. */
interface RefusedFilters {
  readonly status?: readonly string[]
  readonly runbook?: string
}

/** What is removed on Temporal. */
export interface TemporalPrune {
  readonly configuration: Configuration
  readonly dataDir: string
  readonly writtenBeforeMs: number
  readonly isDryRun: boolean
}

/** Removes the files of runs that the server has removed, and reports which. */
export async function pruneOnTemporal(
  context: CommandContext,
  flags: RefusedFilters & OutputFlags,
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

/** Refuses filters that the server has no data for: its record of these runs is gone. */
function refuseFilters({ status, runbook }: RefusedFilters): void {
  const flag = status !== undefined ? '--status' : runbook !== undefined ? '--runbook' : undefined
  if (flag === undefined) return
  const message = `${flag} is for the embedded engine: on Temporal, prune removes only files of runs that the server has removed`
  throw new CommandError(exitCodes.usage, message, {
    hints: ['the retention period of the namespace is how long the server keeps runs'],
  })
}

/** The runs whose files were removed, and the space that was freed. */
function forgottenLines(
  runs: readonly ForgottenRun[],
  { writtenBeforeMs, isDryRun }: { readonly writtenBeforeMs: number; readonly isDryRun: boolean },
  paint: Paint,
): readonly string[] {
  const before = `whose files were written before ${momentText(writtenBeforeMs)}`
  if (runs.length === 0) return [`the server has removed no run ${before}`]
  const rows = runs.map(({ run_id, written_at, artifact_bytes }) => [
    printableLine(run_id),
    momentText(Date.parse(written_at)),
    sizeText(artifact_bytes),
  ])
  const table = columns(rows, (cell, _, column) => (column === 0 ? paint.bold(cell) : cell))
  const bytes = sizeText(runs.reduce((sum, run) => sum + run.artifact_bytes, 0))
  const what = `the files of ${countText(runs.length, 'run')} that the server has removed, ${before}: ${bytes}`
  return [...table.map((line) => `  ${line}`), '', `${isDryRun ? 'would remove' : 'removed'} ${what}`]
}
