import { isCarriedOut } from '../../core/record/run-record.ts'
import type { RunSummary } from '../../engine/embedded/index.ts'
import type { CommandContext } from '../context.ts'
import { stepSign } from '../run/follow/step-sign.ts'
import { verdictSigns } from '../run/report/verdicts.ts'
import { columns } from '../terminal/columns.ts'
import { durationText, momentText } from '../terminal/duration-text.ts'
import { printableLine } from '../terminal/printable.ts'
import { chooseSymbols } from '../terminal/symbols.ts'

const head = ['RUN', 'RUNBOOK', 'STATUS', 'STARTED', 'TOOK', '']

/** The runs as a table. */
export function runLines(
  runs: readonly RunSummary[],
  hasMore: boolean,
  now: number,
  { paint, io }: CommandContext,
): readonly string[] {
  const style = { paint, symbols: chooseSymbols(io.env) }
  const rows = runs.map((run) => [
    run.run_id,
    printableLine(run.runbook),
    run.status,
    momentText(Date.parse(run.started_at)),
    tookText(run, now),
    remarkText(run),
  ])
  const [title = '', ...lines] = columns([head, ...rows], (cell, row, column) => {
    if (row === 0 || column === 4) return paint.dim(cell)
    return column === 0 ? paint.bold(cell) : cell
  })
  return [
    `  ${title}`,
    ...lines.map((line, row) => `${stepSign(verdictSigns[runs[row]?.status ?? 'running'], style)} ${line}`),
    ...(hasMore ? ['', paint.dim('there are more: --limit, or a filter')] : []),
    '',
    paint.dim('opsbook show RUN says more; the beginning of an id is enough, or "latest"'),
  ]
}

/** Of a run whose process has gone nobody knows when it ended. */
function tookText({ started_at, ended_at, status }: RunSummary, now: number): string {
  if (ended_at === undefined && !isCarriedOut(status)) return ''
  return durationText((ended_at === undefined ? now : Date.parse(ended_at)) - Date.parse(started_at))
}

function remarkText({ error, key, started_from }: RunSummary): string {
  const why =
    error === undefined || error.code === 'Interrupted'
      ? []
      : [`${error.path === undefined ? '' : `${error.path}: `}${error.code}`]
  return printableLine(
    [...why, ...(key === undefined ? [] : [`id ${key}`]), ...fromText(started_from)].join('  '),
  )
}

function fromText(from: RunSummary['started_from']): readonly string[] {
  if (!from) return []
  return [from.kind === 'event' ? `event ${from.event_id}` : 'by schedule']
}
