/** `opsbook runs`: the runs of a data directory or a namespace. */

import { type RunsSelection, readFilter } from '../../acts/reads/runs/index.ts'
import { beforeText, isExecuted, type RunSummary } from '../../core/record/index.ts'
import { publicJson } from '../../documents/index.ts'
import { withEngine } from '../../project/engine/index.ts'
import type { EngineFlags } from '../../project/index.ts'
import { recordedName } from '../../project/runbook-files/index.ts'
import { printableLine } from '../../project/text/index.ts'
import { waitText } from '../run/follow/event-text.ts'
import { stepSign } from '../run/follow/step-sign.ts'
import { verdictSigns } from '../run/report/reported-run.ts'
import { answer, answerJson, type CommandContext } from '../shared/context.ts'
import type { OutputFlags } from '../shared/options.ts'
import { columns } from '../shared/terminal/columns.ts'
import { durationText, momentText } from '../shared/terminal/quantity-text.ts'
import { chooseSymbols } from '../shared/terminal/symbols.ts'

/** The flags of `runs`, as the parser hands them over. */
export interface RunsOptions extends Omit<RunsSelection, 'after'>, EngineFlags, OutputFlags {}

/** Lists the runs that match the flags, newest first. */
export async function runs(context: CommandContext, options: RunsOptions): Promise<void> {
  const now = Date.now()
  const runbook =
    options.runbook === undefined ? {} : { runbook: await recordedName(options.runbook, context.io) }
  const filter = { ...readFilter(options, now), ...runbook }
  // One run more than is shown: its presence means that there are more.
  const list = (limit: number): Promise<readonly RunSummary[] | string> =>
    withEngine<readonly RunSummary[] | string>(
      context,
      options,
      (engine) => engine.listRuns({ ...filter, limit }),
      ({ location }) => location,
    )
  const found = await list(options.limit + 1)
  const shown = typeof found === 'string' ? [] : found.slice(0, options.limit)
  if (options.output === 'json') answerJson(context, { runs: shown.map((run) => publicJson(run)) })
  else if (shown.length > 0) answer(context, runLines(shown, found.length > shown.length, now, context))
  else answer(context, emptyText(found))
}

function emptyText(found: readonly RunSummary[] | string): string {
  return typeof found === 'string' ? `no runs in ${printableLine(found)} yet` : 'no run matches'
}

const head = ['RUN', 'RUNBOOK', 'STATUS', 'STARTED', 'TOOK', '']

/** The runs as a table. */
function runLines(
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
    remarkText(run, now),
  ])
  const [title = '', ...lines] = columns([head, ...rows], (cell, row, column) => {
    if (row === 0 || column === 4) return paint.dim(cell)
    return column === 0 ? paint.bold(cell) : cell
  })
  return [
    `  ${title}`,
    ...lines.map((line, row) => `${stepSign(verdictSigns[runs[row]?.status ?? 'running'], style)} ${line}`),
    ...(hasMore ? ['', paint.dim('there are more: raise --limit, or add a filter')] : []),
    '',
    paint.dim('"opsbook show RUN" shows one; RUN is the start of an id, or "latest"'),
  ]
}

/** The duration of a run; unknown if its process died. */
function tookText({ started_at, ended_at, status }: RunSummary, now: number): string {
  if (ended_at === undefined && !isExecuted(status)) return ''
  return durationText((ended_at === undefined ? now : Date.parse(ended_at)) - Date.parse(started_at))
}

function remarkText(
  { error, key, started_from, place_in_line, current_step: step }: RunSummary,
  now: number,
): string {
  const why =
    error === undefined || error.code === 'Interrupted'
      ? []
      : [`${error.path === undefined ? '' : `${error.path}: `}${error.code}`]
  return printableLine(
    [
      ...why,
      ...stepText(step, now),
      ...lineText(place_in_line),
      ...(key === undefined ? [] : [`id ${key}`]),
      ...fromText(started_from),
    ].join('  '),
  )
}

function stepText(step: RunSummary['current_step'], now: number): readonly string[] {
  if (step?.reason === undefined) return step === undefined ? [] : [`at ${step.path}`]
  const { path, reason, until } = step
  return [
    `at ${path}: ${waitText({ reason, ...(until === undefined ? {} : { until: Date.parse(until) }) }, now)}`,
  ]
}

function lineText(place: RunSummary['place_in_line']): readonly string[] {
  return place === undefined ? [] : [`waits in line after ${beforeText(place.before)}`]
}

function fromText(from: RunSummary['started_from']): readonly string[] {
  if (!from) return []
  return [from.kind === 'event' ? `event ${from.event_id}` : 'by schedule']
}
