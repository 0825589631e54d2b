import stringWidth from 'string-width'
import { isItem, isLoopView, type StepView, type Wait } from '../../../view/run/index.ts'
import { cut, wrap } from '../../shared/terminal/columns.ts'
import { failedText, waitText } from './event-text.ts'
import { indentWidth, type LineStyle, stepLine } from './step-line.ts'
import { atWork, currentWaits, innermost, isBad, isHeldUp } from './step-sign.ts'

const widestLabel = 28

/** The lines of running steps, by step, and a line that counts those that do not fit. */
export interface Tree {
  readonly linesOf: ReadonlyMap<StepView, readonly string[]>
  readonly rest: readonly string[]
}

/** The depth and the columns of a tree. */
export interface TreePosition {
  readonly depth: number
  readonly labels: Labels
}

/**
 * The lines of running steps: each with what it waits for, and with its inner steps. If there are too few rows, each step
 * first gets one line; steps that do not fit even then are counted.
 */
export function drawTree(
  steps: readonly StepView[],
  rows: number,
  style: LineStyle,
  { depth, labels }: TreePosition,
): Tree {
  if (rows < 1 || steps.length === 0) return { linesOf: new Map(), rest: [] }
  // With at most one line for each, needs are not computed: there may be thousands of steps.
  const wanting = steps.length < rows ? steps : []
  const needs = new Map(wanting.map((step) => [step, linesNeeded(step, style)]))
  const isEnough = wanting.length > 0 && [...needs.values()].reduce((sum, need) => sum + need, 0) <= rows
  const shown = steps.length <= rows ? steps : mostUrgent(steps, rows - 1, style.now)
  let spare = rows - shown.length - (shown.length < steps.length ? 1 : 0)
  const linesOf = new Map<StepView, readonly string[]>()
  for (const [position, step] of shown.entries()) {
    const wanted = (needs.get(step) ?? 1) - 1
    const more = isEnough ? wanted : Math.min(wanted, Math.floor(spare / (shown.length - position)))
    spare -= more
    linesOf.set(step, drawStep(step, more, style, { depth, labels }))
  }
  const hidden = steps.filter((step) => !linesOf.has(step))
  return { linesOf, rest: hidden.length === 0 ? [] : [hiddenLine(hidden, style, depth)] }
}

/** The number of lines that a step needs to be shown completely. */
function linesNeeded(step: StepView, style: LineStyle): number {
  const shown = innermost(step)
  const inside = atWork(shown).reduce((sum, inner) => sum + linesNeeded(inner, style), 0)
  return 1 + (isBare(shown) ? 0 : factLines(shown, style, 0).length) + inside
}

/** Labels of steps, relative to the step around them. */
export interface Labels {
  of(step: StepView): string
  readonly width: number
}

/** Labels for steps, in a column as wide as the widest of them. */
export function createLabels(
  steps: readonly StepView[],
  outer: string,
  depth: number,
  { columns, clean, items }: LineStyle,
): Labels {
  const of = (step: StepView): string => items.label(innermost(step).path, outer)
  const most = Math.max(4, Math.min(widestLabel, Math.floor(columns / 3) - depth * indentWidth))
  return { of, width: Math.min(most, Math.max(0, ...steps.map((step) => stringWidth(clean(of(step)))))) }
}

/** Draws a step in one line, and in at most `more` further lines. */
function drawStep(
  step: StepView,
  more: number,
  style: LineStyle,
  { depth, labels }: TreePosition,
): readonly string[] {
  const shown = innermost(step)
  const place = { depth, label: labels.of(step), labelWidth: labels.width }
  const [wait] = currentWaits(shown, style.now)
  // With only one line, what it waits for takes precedence over its description.
  if (wait && more === 0) {
    const [, { message }] = wait
    const remark = message === undefined ? waitText(wait[1], style.now) : `asks: ${message}`
    return [stepLine(shown, { ...place, remark }, style)]
  }
  const facts = factLines(shown, style, depth).slice(0, more)
  const inside = atWork(shown)
  const { linesOf, rest } = drawTree(inside, more - facts.length, style, {
    depth: depth + 1,
    labels: createLabels(inside, shown.path, depth + 1, style),
  })
  return [stepLine(shown, place, style), ...facts, ...[...linesOf.values()].flat(), ...rest]
}

/** An item whose only fact is what it waits for. */
function isBare({ path, waits }: StepView): boolean {
  return isItem(path) && waits.size === 1
}

/** The steps to show if not all fit: first those that wait for approval, then failed ones, then running ones. */
function mostUrgent(steps: readonly StepView[], count: number, now: number): readonly StepView[] {
  const urgency = (step: StepView): number => {
    if (isHeldUp(step, now, 'approval') || isHeldUp(step, now, 'answer')) return 0
    if (isBad(step)) return 1
    return isHeldUp(step, now) ? 3 : 2
  }
  const ranked = steps.map((step) => ({ step, rank: urgency(step) }))
  const first = ranked.sort((one, other) => one.rank - other.rank).slice(0, count)
  const chosen = new Set(first.map(({ step }) => step))
  return steps.filter((step) => chosen.has(step))
}

function hiddenLine(hidden: readonly StepView[], { paint, now, columns }: LineStyle, depth: number): string {
  const failed = hidden.filter(isBad).length
  const waiting = hidden.filter((step) => isHeldUp(step, now)).length
  const facts = [...(failed > 0 ? [`${failed} failed`] : []), ...(waiting > 0 ? [`${waiting} waiting`] : [])]
  const indent = ' '.repeat((depth + 1) * indentWidth)
  const text = [`and ${hidden.length} more running`, ...facts].join(', ')
  return indent + paint.dim(cut(text, columns - indent.length))
}

/** Most waiting calls that are named for one step. */
const namedWaits = 2
/** Most lines for a question. */
const questionLines = 3

/** The lines under a step: the last failure in a loop, and what it waits for. */
function factLines(step: StepView, style: LineStyle, depth: number): readonly string[] {
  if (step.status !== 'running') return []
  const { paint, symbols, clean, columns, now } = style
  const indent = ' '.repeat(depth * indentWidth + 4)
  const line = (text: string): string => cut(text, columns - indent.length)
  const failure = isLoopView(step) ? step.lastFailure : undefined
  const failed =
    failure === undefined ? [] : [`${symbols.failed} ${clean(failedText(failure, step.path, style.items))}`]
  const waits = currentWaits(step, now)
  const named = waits
    .slice(0, namedWaits)
    .flatMap(([path, wait]) => waitLines(step, path, wait, columns - indent.length, style))
  const more = waits.length - namedWaits
  const others = more > 0 ? [`${symbols.waiting} and ${more} more wait`] : []
  return [
    ...failed.map((text) => indent + paint.red(line(text))),
    ...[...named, ...others].map((text) => indent + paint.yellow(line(text))),
  ]
}

/** What one call waits for, with its question. */
function waitLines(
  step: StepView,
  path: string,
  { message, ...wait }: Wait,
  width: number,
  { symbols, clean, now, isStill }: LineStyle,
): readonly string[] {
  const which = path === step.path ? '' : `${callName(path.slice(step.path.length))} `
  const head = `${symbols.waiting} ${clean(which + waitText(wait, now))}`
  if (message === undefined || isStill) return [head]
  const asked = wrap(clean(message), Math.max(8, width - 4))
  const shown = asked.slice(0, questionLines)
  return [
    head,
    ...shown.map((text, row) => (row === questionLines - 1 && asked[row + 1] ? `  ${text} …` : `  ${text}`)),
  ]
}

/** `/poll-2/group-3` in words: `poll 2, group 3`. */
function callName(part: string): string {
  return part
    .split('/')
    .filter((piece) => piece !== '')
    .map((piece) => piece.replace('-', ' '))
    .join(', ')
}
