import type { StepStatus } from '../../../core/events.ts'
import type { RunReport } from '../../../engine/embedded/index.ts'
import { columns } from '../../terminal/columns.ts'
import { durationText } from '../../terminal/duration-text.ts'
import { printableLine } from '../../terminal/printable.ts'
import type { RunState } from '../follow/run-state.ts'
import { type Style, stepSign } from '../follow/step-sign.ts'

type StepRecord = RunReport['steps'][number]

/** One line for each step: what became of it, how long it took, how many calls it needed. */
export function stepTable(
  { steps }: RunReport,
  state: RunState,
  style: Style,
  width: number | undefined,
): readonly string[] {
  const { paint } = style
  const cells = steps.map((step) => [
    printableLine(step.path),
    printableLine(step.name ?? step.action),
    statusText(step),
    timeText(step),
    step.attempts > 1 ? `${step.attempts} calls` : '',
    failedText(step, state),
  ])
  const lines = columns(fitted(cells, width), (cell, row, column) => {
    const isIdle = steps[row]?.status === 'pending' || steps[row]?.status === 'skipped'
    if (isIdle || column === 1 || column === 4) return paint.dim(cell)
    return column === 5 ? paint.yellow(cell) : cell
  })
  return lines.map((line, row) => `  ${stepSign(shownStatus(steps[row]), style)} ${line}`)
}

/** The sign before each row, and the space around it. */
const signWidth = 4
const narrowestName = 12

/** The rows with their names cut as far as it takes for the widest row to fit. */
function fitted(
  rows: readonly (readonly string[])[],
  width: number | undefined,
): readonly (readonly string[])[] {
  if (width === undefined) return rows
  const excess = Math.max(...columns(rows).map((line) => [...line].length)) + signWidth - width
  const widest = Math.max(...rows.map(([, name = '']) => [...name].length))
  return excess > 0
    ? rows.map((row) => row.with(1, cut(row[1] ?? '', Math.max(narrowestName, widest - excess))))
    : rows
}

function cut(text: string, most: number): string {
  const characters = [...text]
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`
}

function statusText({ status }: StepRecord): string {
  return status === 'pending' ? 'not started' : status
}

/** Nothing runs any more when the report is written. */
function shownStatus(step: StepRecord | undefined): StepStatus | 'pending' {
  const { status = 'cancelled' } = step ?? {}
  return status === 'interrupted' || status === 'running' ? 'cancelled' : status
}

function timeText({ started_at, ended_at }: StepRecord): string {
  return started_at && ended_at ? durationText(Date.parse(ended_at) - Date.parse(started_at)) : ''
}

/** Failures that were tolerated are easily overlooked. */
function failedText({ path }: StepRecord, state: RunState): string {
  const tally = state.stepOf(path)?.tally
  return tally && tally.failed > 0 ? `${tally.failed} of ${tally.total} items failed` : ''
}
