import stringWidth from 'string-width'
import { isCarriedOut } from '../../../core/record/run-record.ts'
import type { StepRecord } from '../../../engine/embedded/index.ts'
import { columns, cut } from '../../terminal/columns.ts'
import { countText } from '../../terminal/count-text.ts'
import { durationText } from '../../terminal/duration-text.ts'
import { printableLine } from '../../terminal/printable.ts'
import type { ItemNames } from '../follow/item-names.ts'
import { placesOf } from '../follow/places.ts'
import type { RunState } from '../follow/run-state.ts'
import { type Sign, type Style, stepSign } from '../follow/step-sign.ts'
import { foldRows, type Kind, type Row } from './fold-rows.ts'
import type { ReportedRun } from './reported-run.ts'
import { treeOrder } from './tree-order.ts'

/** How the table is written. */
export interface TableOptions extends Style {
  /** Columns of the terminal, if it goes to one. */
  readonly width: number | undefined
  /** Unix time in milliseconds, for a run that goes on. */
  readonly now: number
  /** Every step, also those that went well inside loops. */
  readonly isFull?: boolean
}

/** One line for each step: what became of it, how long it took, how many calls it needed. */
export function stepTable(run: ReportedRun, state: RunState, options: TableOptions): readonly string[] {
  const { paint, width, isFull = false } = options
  const isOpen = isCarriedOut(run.status)
  const asking = new Set(
    run.questions?.flatMap(({ path, status }) => (isOpen && status === 'open' ? [path] : [])),
  )
  const ordered = treeOrder(run.steps)
  const rows: readonly Row[] = isFull ? ordered.map((step) => ({ step })) : foldRows(ordered)
  const steps = rows.flatMap((row) => ('step' in row ? [row.step] : []))
  const cells = steps.map((step) => [
    `${indentOf(step)}${signPlace} ${labelOf(step, state.items)}`,
    printableLine(step.name ?? step.action),
    asking.has(step.path) ? 'waits' : statusText(step),
    timeText(step, options.now, isOpen),
    step.attempts > 1 ? countText(step.attempts, 'call') : '',
    remarkText(step, state),
  ])
  const lines = columns(fitted(cells, width), (cell, row, column) => {
    const step = steps[row]
    if (column === 0 && step)
      return cell.replace(
        signPlace,
        stepSign(asking.has(step.path) ? 'waiting' : signOf(step, isOpen), options),
      )
    const isIdle = step?.status === 'pending' || step?.status === 'skipped'
    if (isIdle || column === 1 || column === 4) return paint.dim(cell)
    return column === 5 ? paint.yellow(cell) : cell
  })
  let next = 0
  return rows.map((row) => {
    if (!('step' in row)) return paint.dim(`    … ${countText(row.count, 'more step')} ${kinds[row.kind]}`)
    return `${margin}${lines[next++]}`
  })
}

const kinds: Readonly<Record<Kind, string>> = {
  good: 'that went well',
  bad: 'that did not go well',
  pending: 'not started',
}

const margin = '  '
/** Holds the place of the sign, which has colours, while widths are counted: a character as wide as the sign. */
const signPlace = '\ue000'
const narrowestName = 12

/** The rows with their names cut as far as it takes for the widest row to fit. */
function fitted(
  rows: readonly (readonly string[])[],
  width: number | undefined,
): readonly (readonly string[])[] {
  if (width === undefined) return rows
  const excess = Math.max(...columns(rows).map((line) => stringWidth(line))) + margin.length - width
  const widest = Math.max(...rows.map(([, name = '']) => stringWidth(name)))
  return excess > 0
    ? rows.map((row) => row.with(1, cut(row[1] ?? '', Math.max(narrowestName, widest - excess))))
    : rows
}

/** The name of the step, which stands under that of the step around it; of a step in a loop the whole path. */
function labelOf({ path }: StepRecord, items: ItemNames): string {
  return printableLine(path.includes('[') ? items.label(path) : path.slice(path.lastIndexOf('/') + 1))
}

function indentOf({ path }: StepRecord): string {
  const [outside = ''] = path.split('[', 1)
  return '  '.repeat(placesOf(outside).length - (outside === path ? 1 : 0))
}

function statusText({ status }: StepRecord): string {
  return status === 'pending' ? 'not started' : status
}

/** Where a run does not go on, nothing in it does. */
function signOf({ status, is_warning, caught }: StepRecord, isOpen: boolean): Sign {
  if (is_warning) return 'warning'
  if (status === 'interrupted' || (status === 'running' && !isOpen)) return 'cancelled'
  return caught ? 'caught' : status
}

function timeText({ started_at, ended_at }: StepRecord, now: number, isOpen: boolean): string {
  if (started_at === undefined) return ''
  if (ended_at === undefined) return isOpen ? durationText(now - Date.parse(started_at)) : ''
  return durationText(Date.parse(ended_at) - Date.parse(started_at))
}

/** What is easily overlooked: failures that were tolerated, let pass or caught, and why a step was skipped. */
function remarkText({ path, is_warning, caught, condition, status }: StepRecord, state: RunState): string {
  const step = state.stepOf(path)
  const { tally, progress } = step?.path === path ? step : {}
  if (is_warning) return 'the run went on'
  if (caught) return `caught ${printableLine(caught.code)}`
  if (status === 'skipped' && condition !== undefined) return printableLine(condition)
  if (status === 'interrupted' || status === 'running')
    return progress ? `${progress.done} of ${progress.total} ${progress.unit}` : ''
  return tally && tally.failed > 0 ? `${tally.failed} of ${tally.total} items failed` : ''
}
