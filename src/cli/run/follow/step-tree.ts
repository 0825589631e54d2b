import stringWidth from 'string-width'
import { cut } from '../../terminal/columns.ts'
import { atWork, currentWaits, innermost, isBad, isHeldUp } from './at-work.ts'
import { factLines } from './fact-lines.ts'
import { isItem } from './places.ts'
import { indentWidth, type LineStyle, stepLine } from './step-line.ts'
import type { StepView } from './step-view.ts'
import { waitText } from './wait-text.ts'

const widestLabel = 28

/** The lines of steps that are at work, by step, and the line that counts those for which there was no room. */
export interface Tree {
  readonly linesOf: ReadonlyMap<StepView, readonly string[]>
  readonly rest: readonly string[]
}

/** Where a tree stands: how deep, and in which columns. */
export interface TreePlace {
  readonly depth: number
  readonly labels: Labels
}

/**
 * The lines of steps that are at work: each with what keeps it from going on, and with what goes on inside it. Where the
 * rows do not suffice, each keeps a line of its own first; where not even those fit, the others are counted.
 */
export function drawTree(
  steps: readonly StepView[],
  rows: number,
  style: LineStyle,
  { depth, labels }: TreePlace,
): Tree {
  if (rows < 1 || steps.length === 0) return { linesOf: new Map(), rest: [] }
  // Where each gets one line at most, what they need is not asked: there may be a thousand.
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

/** How many lines everything about a step would take. */
function linesNeeded(step: StepView, style: LineStyle): number {
  const shown = innermost(step)
  const inside = atWork(shown).reduce((sum, inner) => sum + linesNeeded(inner, style), 0)
  return 1 + (isBare(shown) ? 0 : factLines(shown, style, 0).length) + inside
}

/** What steps are called inside the step around them. */
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

/** One step in its own line and as many others. */
function drawStep(
  step: StepView,
  more: number,
  style: LineStyle,
  { depth, labels }: TreePlace,
): readonly string[] {
  const shown = innermost(step)
  const place = { depth, label: labels.of(step), labelWidth: labels.width }
  const [wait] = currentWaits(shown, style.now)
  // Where there is one line for both, what it waits for goes before what it is.
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

/** An item that has nothing to say of itself but what it waits for. */
function isBare({ path, waits }: StepView): boolean {
  return isItem(path) && waits.size === 1
}

/** The ones that come first where there is no room for all: who waits for a person, what failed, what works. */
function mostUrgent(steps: readonly StepView[], count: number, now: number): readonly StepView[] {
  const urgency = (step: StepView): number => {
    if (isHeldUp(step, now, 'approval')) return 0
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
  const text = [`and ${hidden.length} more at work`, ...facts].join(', ')
  return indent + paint.dim(cut(text, columns - indent.length))
}
