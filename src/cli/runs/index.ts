/** `opsbook runs`: the runs of a data directory. */
import type { RunSummary } from '../../core/record/run-record.ts'
import type { RunsOptions } from '../commands/runs.ts'
import { answer, answerJson, type CommandContext } from '../context.ts'
import { withEngine } from '../engine/with-engine.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { publicJson } from '../run/public-json.ts'
import { recordedName } from '../runbook-files/recorded-name.ts'
import { printableLine } from '../terminal/printable.ts'
import { readFilter } from './read-filter.ts'
import { runLines } from './run-lines.ts'

/** Lists the runs that fit the flags, the newest first. */
export async function runs(context: CommandContext, options: RunsOptions): Promise<ExitCode> {
  const now = Date.now()
  const runbook =
    options.runbook === undefined ? {} : { runbook: await recordedName(options.runbook, context.io) }
  const filter = { ...readFilter(options, now), ...runbook }
  // One more than is shown tells whether there are more.
  const list = (limit: number): Promise<readonly RunSummary[] | string> =>
    withEngine<readonly RunSummary[] | string>(
      context,
      options,
      (engine) => engine.listRuns({ ...filter, limit }),
      ({ place }) => place,
    )
  const found = await list(options.limit + 1)
  const shown = typeof found === 'string' ? [] : found.slice(0, options.limit)
  if (options.output === 'json') answerJson(context, { runs: shown.map((run) => publicJson(run)) })
  else if (shown.length > 0) answer(context, runLines(shown, found.length > shown.length, now, context))
  else answer(context, emptyText(found))
  return exitCodes.succeeded
}

function emptyText(found: readonly RunSummary[] | string): string {
  return typeof found === 'string' ? `no runs in ${printableLine(found)} yet` : 'no run fits'
}
