import stringWidth from 'string-width'
import type { Warning } from '../../../core/events.ts'
import { isExecuted, type StepRecord } from '../../../core/record/index.ts'
import { printableLine } from '../../../project/text/index.ts'
import type { ItemNames, RunTree } from '../../../view/run/index.ts'
import { enclosingPaths } from '../../../view/run/index.ts'
import { statusWord } from '../../../view/text/index.ts'
import { columns, cut } from '../../shared/terminal/columns.ts'
import { countText, durationText, failedItemsText } from '../../shared/terminal/quantity-text.ts'
import { descriptionOf } from '../follow/step-line.ts'
import { isAwaiting, type Sign, stepSign } from '../follow/step-sign.ts'
import type { ReportedRun, TableOptions } from './reported-run.ts'

/** One line for each step: its status, its duration and its calls. */
export function stepTable(run: ReportedRun, state: RunTree, options: TableOptions): readonly string[] {
  const { paint, width, isFull = false } = options
  const isOpen = isExecuted(run.status)
  const waiting = waitingSteps(run, state, options.now)
  const ordered = treeOrder(run.steps)
  const rows: readonly StepTableRow[] = isFull ? ordered.map((step) => ({ step })) : foldRows(ordered)
  const steps = rows.flatMap((row) => ('step' in row ? [row.step] : []))
  const cells = steps.map((step) => [
    `${indentOf(step)}${signPlaceholder} ${labelOf(step, state.items)}`,
    printableLine(descriptionOf(step)),
    waiting.has(step.path) ? 'waiting' : statusWord(step.status),
    timeText(step, options.now, isOpen),
    step.attempts > 1 ? countText(step.attempts, 'call') : '',
    remarkText(step, state, run),
  ])
  const lines = columns(fitted(cells, width), (cell, row, column) => {
    const step = steps[row]
    if (column === 0 && step)
      return cell.replace(
        signPlaceholder,
        stepSign(waiting.has(step.path) ? 'waiting' : signOf(step, isOpen), options),
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

/** The steps that wait for a person, for an event or for a time, and those around them. */
function waitingSteps(
  { status, steps, questions = [] }: ReportedRun,
  state: RunTree,
  now: number,
): ReadonlySet<string> {
  if (!isExecuted(status)) return new Set()
  const awaiting = steps.filter(({ path }) => {
    const step = state.stepOf(path)
    return step?.path === path && step.status === 'running' && isAwaiting(step, now)
  })
  const asking = questions.flatMap(({ path, status }) => (status === 'open' ? enclosingPaths(path) : []))
  return new Set([...asking, ...awaiting.map(({ path }) => path)])
}

const kinds: Readonly<Record<RowKind, string>> = {
  good: 'that succeeded',
  bad: 'that did not succeed',
  pending: 'not started',
}

const margin = '  '
/** Stands for the colored sign while widths are computed: a character as wide as the sign. */
const signPlaceholder = '\ue000'
const narrowestName = 12

/** Cuts names so that the widest row fits. */
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

/** The name of a step, relative to the step around it; for a step in a loop, the whole path. */
function labelOf({ path }: StepRecord, items: ItemNames): string {
  return printableLine(path.includes('[') ? items.label(path) : path.slice(path.lastIndexOf('/') + 1))
}

function indentOf({ path }: StepRecord): string {
  const [outside = ''] = path.split('[', 1)
  return '  '.repeat(enclosingPaths(outside).length - (outside === path ? 1 : 0))
}

/** The sign of a step; in a run that is not open, no step is running. */
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

/** Facts that are easily overlooked: tolerated or caught failures, and why a step was skipped. */
function remarkText(record: StepRecord, state: RunTree, { warnings = [] }: ReportedRun): string {
  const { path, is_warning, caught, condition, status, failed_items: failed } = record
  const step = state.stepOf(path)
  const { progress } = step?.path === path ? step : {}
  if (is_warning) return 'the run continued'
  if (caught) return `caught ${printableLine(caught.code)}`
  if (status === 'skipped' && condition !== undefined) return printableLine(condition)
  if (status === 'interrupted' || status === 'running')
    return progress ? `${progress.done} of ${progress.total} ${progress.unit}` : ''
  // How many turns there are is known at the end only.
  if (progress?.unit === 'turns') return countText(progress.done, 'turn')
  if (failed) return failedItemsText(failed)
  const isInside = (warning: Warning): boolean =>
    warning.failed_items !== undefined && warning.path?.startsWith(`${path}[`) === true
  return status === 'succeeded' && warnings.some(isInside) ? 'tolerated failures inside' : ''
}

/** A row of the table: a step, or the count of steps without their own row. */
export type StepTableRow = { readonly step: StepRecord } | { readonly count: number; readonly kind: RowKind }

/** The kind of steps that are counted together. */
export type RowKind = 'good' | 'bad' | 'pending'

/** With more steps than this, steps outside loops are counted too, unless they failed. */
const mostRows = 40
/** The number of steps of each kind that keep their rows. */
const kept: Readonly<Record<RowKind, number>> = { good: 2, pending: 2, bad: 5 }

/** Counts steps that succeeded: always in loops, outside loops only if there are many. */
export function foldRows(steps: readonly StepRecord[]): readonly StepTableRow[] {
  const isLong = steps.filter((step) => !isInLoop(step)).length > mostRows
  return groupsOf(steps).flatMap((group) => {
    if (group.isLoop) return [...fold(group.steps, 'bad', kept.bad), ...fold(group.steps, 'good', 0)]
    const isFolded = isLong && group.kind !== 'bad'
    return isFolded ? fold(group.steps, group.kind, kept[group.kind]) : group.steps.map((step) => ({ step }))
  })
}

/** The first of one kind, and the count of the others. */
function fold(steps: readonly StepRecord[], kind: RowKind, most: number): readonly StepTableRow[] {
  const alike = steps.filter(
    (step) => kindOf(step) === kind || (kind === 'bad' && kindOf(step) === 'pending'),
  )
  // Counting a single step would save no row.
  const shown = most > 0 && alike.length === most + 1 ? alike : alike.slice(0, most)
  const count = alike.length - shown.length
  return [...shown.map((step) => ({ step })), ...(count > 0 ? [{ count, kind }] : [])]
}

interface Group {
  readonly isLoop: boolean
  readonly kind: RowKind
  readonly steps: StepRecord[]
}

/** Steps one after another that are inside a loop, and those outside that are of one kind. */
function groupsOf(steps: readonly StepRecord[]): readonly Group[] {
  const groups: Group[] = []
  for (const step of steps) {
    const kind = kindOf(step)
    const isLoop = isInLoop(step)
    const last = groups.at(-1)
    if (last?.isLoop === isLoop && (isLoop || last.kind === kind)) last.steps.push(step)
    else groups.push({ isLoop, kind, steps: [step] })
  }
  return groups
}

function kindOf({ status, is_warning, caught }: StepRecord): RowKind {
  if (status === 'pending') return 'pending'
  const isGood = (status === 'succeeded' || status === 'skipped') && !is_warning && caught === undefined
  return isGood ? 'good' : 'bad'
}

function isInLoop({ path }: StepRecord): boolean {
  return path.includes('[')
}

/** Puts the inner steps of a step directly after it; siblings keep their order. */
export function treeOrder(steps: readonly StepRecord[]): readonly StepRecord[] {
  const paths = new Set(steps.map(({ path }) => path))
  const insideOf = new Map<string, StepRecord[]>()
  for (const step of steps) {
    const outer = enclosingPaths(step.path).findLast((place) => place !== step.path && paths.has(place)) ?? ''
    const beside = insideOf.get(outer)
    if (beside) beside.push(step)
    else insideOf.set(outer, [step])
  }
  const withInner = (step: StepRecord): readonly StepRecord[] => [
    step,
    ...(insideOf.get(step.path) ?? []).toSorted(byItem).flatMap(withInner),
  ]
  return (insideOf.get('') ?? []).flatMap(withInner)
}

/** Items in their order, also where they began in another one. The steps of one item stay as they are. */
function byItem(one: StepRecord, other: StepRecord): number {
  const [places, others] = [positionsIn(one), positionsIn(other)]
  const differing = places.findIndex((place, at) => place !== others[at])
  return differing < 0 ? 0 : (places[differing] ?? 0) - (others[differing] ?? 0)
}

function positionsIn({ path }: StepRecord): readonly number[] {
  return [...path.matchAll(/\[(\d+)\]/g)].map(([, position]) => Number(position))
}
