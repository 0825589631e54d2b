import { cut, pad } from '../../terminal/columns.ts'
import type { Paint } from '../../terminal/paint.ts'
import { currentWaits } from './at-work.ts'
import { failureText } from './failure-text.ts'
import type { ItemNames } from './item-names.ts'
import { factsWidth, stepFacts } from './step-facts.ts'
import { type Sign, type Style, stepSign } from './step-sign.ts'
import type { StepView } from './step-view.ts'

/** How the lines of a live view are drawn. */
export interface LineStyle extends Style {
  readonly now: number
  /** Counts redraws: turns the spinner. */
  readonly tick: number
  /** How wide a line may be. */
  readonly columns: number
  /** Makes text of the run fit to be shown: one line, nothing that is to be hidden. */
  clean(text: string): string
  readonly items: ItemNames
}

/** Where a line stands, and what it says in place of what its step is. */
export interface LinePlace {
  readonly depth: number
  readonly label: string
  readonly labelWidth: number
  readonly remark?: string
}

/** Columns for each step around a step. */
export const indentWidth = 2

/** One line for a step: its state, what it is or why it ended so, how far it is, how long it has taken. */
export function stepLine(step: StepView, place: LinePlace, style: LineStyle): string {
  const { paint, columns, clean, now } = style
  const isIdle = step.status === 'pending' || step.status === 'skipped'
  const indent = ' '.repeat(place.depth * indentWidth)
  const head = indent.length + 2 + place.labelWidth
  const label = pad(cut(clean(place.label), place.labelWidth), place.labelWidth)
  const facts = stepFacts(step, now, style.symbols, columns - head)
  const { text, color } =
    place.remark === undefined ? detail(step, style) : { text: place.remark, color: 'yellow' as const }
  const about = cut(clean(text), columns - head - factsWidth(facts) - 2)
  const parts = [paint[color](about), ...facts].filter((part) => part !== '')
  const sign = stepSign(signOf(step, now), style, style.tick)
  return `${indent}${sign} ${isIdle ? paint.dim(label) : label}  ${parts.join('  ')}`.trimEnd()
}

function signOf(step: StepView, now: number): Sign {
  if (step.isWarning) return 'warning'
  if (step.status === 'running' && currentWaits(step, now).length > 0) return 'waiting'
  return step.caught ? 'caught' : step.status
}

function detail(
  step: StepView,
  { items }: LineStyle,
): { readonly text: string; readonly color: keyof Paint } {
  const { error, caught, status, condition, path } = step
  if (error) return { text: failureText(error, path, items), color: step.isWarning ? 'yellow' : 'red' }
  if (caught) return { text: `caught ${failureText(caught, path, items)}`, color: 'yellow' }
  if (status === 'skipped' && condition !== undefined) return { text: `skipped: ${condition}`, color: 'dim' }
  return { text: step.name ?? step.action, color: 'dim' }
}
