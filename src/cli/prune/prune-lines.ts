import type { PruneReport } from '../../engine/embedded/prune-runs.ts'
import type { ForgottenRun } from '../../engine/temporal/client/prune-files.ts'
import { columns } from '../terminal/columns.ts'
import { countText } from '../terminal/count-text.ts'
import { momentText } from '../terminal/duration-text.ts'
import type { Paint } from '../terminal/paint.ts'
import { printableLine } from '../terminal/printable.ts'
import { sizeText } from '../terminal/size-text.ts'

/** What was removed, run by run, and how much space that was. */
export function pruneLines(
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
    ...in_use.map((id) => paint.yellow(`  ${id} is left: a process carries it out`)),
    ...(table.length + in_use.length > 0 ? [''] : []),
    runs.length === 0 ? `no run ended before ${momentText(endedBeforeMs)} that may be removed` : verdict,
    ...(events === 0
      ? []
      : [`${isDryRun ? 'would remove' : 'removed'} ${countText(events, 'event')} from before then`]),
  ]
}

/** The runs whose files were removed, and how much space that was. */
export function forgottenLines(
  runs: readonly ForgottenRun[],
  { writtenBeforeMs, isDryRun }: { readonly writtenBeforeMs: number; readonly isDryRun: boolean },
  paint: Paint,
): readonly string[] {
  const before = `whose files were written before ${momentText(writtenBeforeMs)}`
  if (runs.length === 0) return [`the server has forgotten no run ${before}`]
  const rows = runs.map(({ run_id, written_at, artifact_bytes }) => [
    printableLine(run_id),
    momentText(Date.parse(written_at)),
    sizeText(artifact_bytes),
  ])
  const table = columns(rows, (cell, _, column) => (column === 0 ? paint.bold(cell) : cell))
  const bytes = sizeText(runs.reduce((sum, run) => sum + run.artifact_bytes, 0))
  const what = `the files of ${countText(runs.length, 'run')} that the server has forgotten, ${before}: ${bytes}`
  return [...table.map((line) => `  ${line}`), '', `${isDryRun ? 'would remove' : 'removed'} ${what}`]
}
