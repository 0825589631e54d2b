/** `opsbook prune`: removes old runs. */

import { parseDuration } from '../../core/times/index.ts'
import { systemClock } from '../../engine/attempt/index.ts'
import { type PrunableStatus, type PruneReport, pruneRuns } from '../../engine/embedded/index.ts'
import { readLocation } from '../../project/engine/index.ts'
import { CommandError, type EngineFlags, type Paint } from '../../project/index.ts'
import { recordedName } from '../../project/runbook-files/index.ts'
import { printableLine, readWord } from '../../project/text/index.ts'
import { answer, answerJson, type CommandContext } from '../shared/context.ts'
import type { OutputFlags } from '../shared/options.ts'
import { columns } from '../shared/terminal/columns.ts'
import { countText, momentText, sizeText } from '../shared/terminal/quantity-text.ts'

/** The flags of `prune`, as the parser hands them over. */
export interface PruneFlags extends EngineFlags, OutputFlags {
  readonly olderThan: string
  readonly status?: readonly string[]
  readonly runbook?: string
  readonly dryRun?: boolean
}

/** Removes the runs that match the flags, and reports what was removed. */
export async function prune(context: CommandContext, flags: PruneFlags): Promise<void> {
  const endedBeforeMs = systemClock.now() - readAge(flags.olderThan)
  const status = flags.status?.flatMap((list) => list.split(',')).map((name) => readStatus(name.trim()))
  const isDryRun = flags.dryRun === true
  const { dataDir, kind } = await readLocation(flags, context.io)
  if (kind === 'temporal') throw serverDoes()
  const report = await pruneRuns({
    dataDir,
    endedBeforeMs,
    isDryRun,
    ...(status === undefined ? {} : { status }),
    ...(flags.runbook === undefined ? {} : { runbook: await recordedName(flags.runbook, context.io) }),
  })
  const facts = { is_dry_run: isDryRun, ended_before: new Date(endedBeforeMs).toISOString() }
  if (flags.output === 'json') answerJson(context, { ...facts, ...report })
  else answer(context, pruneLines(report, { endedBeforeMs, isDryRun }, context.paint))
}

function serverDoes(): CommandError {
  return new CommandError(
    'usage',
    'on Temporal there is nothing to prune: the server removes a run when the retention of its namespace has passed',
    {
      hints: [
        'change the retention: temporal operator namespace update --namespace NAME --retention 30d',
        'remove the files of removed runs: docs/temporal.md#old-runs-and-their-files',
        'remove the runs of this data directory: --engine embedded',
      ],
    },
  )
}

function readAge(given: string): number {
  const ageMs = parseDuration(given)
  if (ageMs !== undefined) return ageMs
  throw new CommandError('usage', `--older-than takes a duration such as 12h or 30d, not "${given}"`)
}

const prunable: readonly PrunableStatus[] = ['succeeded', 'failed', 'cancelled', 'unknown', 'interrupted']
const openStatuses: readonly string[] = ['running', 'waiting', 'paused']

function readStatus(given: string): PrunableStatus {
  if (!openStatuses.includes(given)) return readWord(given, prunable, 'there is no status')
  throw new CommandError('usage', `a run that is ${given} is open, and is never removed`, {
    hints: ['"opsbook cancel" cancels it'],
  })
}

/** The removed runs, and the space that was freed. */
function pruneLines(
  { runs, in_use, events, database_bytes }: PruneReport,
  { endedBeforeMs, isDryRun }: { readonly endedBeforeMs: number; readonly isDryRun: boolean },
  paint: Paint,
): readonly string[] {
  const rows = runs.map((run) => [
    run.run_id,
    printableLine(run.runbook),
    run.status,
    momentText(Date.parse(run.ended_at)),
    run.artifact_bytes === 0 ? '' : sizeText(run.artifact_bytes),
  ])
  const table = columns(rows, (cell, _, column) => (column === 0 ? paint.bold(cell) : cell))
  const files = runs.reduce((sum, run) => sum + run.artifact_bytes, 0)
  const which = `${countText(runs.length, 'run')} that ended before ${momentText(endedBeforeMs)}`
  const verdict = isDryRun
    ? `would remove ${which}, with ${sizeText(files)} of files`
    : `removed ${which}: ${sizeText(files)} of files, ${sizeText(database_bytes)} of the database`
  return [
    ...table.map((line) => `  ${line}`),
    ...in_use.map((id) => paint.yellow(`  ${id} is kept: a process executes it`)),
    ...(table.length + in_use.length > 0 ? [''] : []),
    runs.length === 0 ? `no run to remove ended before ${momentText(endedBeforeMs)}` : verdict,
    ...(events === 0
      ? []
      : [`${isDryRun ? 'would remove' : 'removed'} ${countText(events, 'event')} from before then`]),
  ]
}
