import stringWidth from 'string-width'
import type { Paint } from '../../../project/index.ts'
import type { ItemNames } from '../../../view/run/index.ts'
import { hasEnded, type Progress, type StepView } from '../../../view/run/index.ts'
import { cut, pad } from '../../shared/terminal/columns.ts'
import { durationText, failedItemsText } from '../../shared/terminal/quantity-text.ts'
import type { Symbols } from '../../shared/terminal/symbols.ts'
import { failedText } from './event-text.ts'
import { currentWaits, type Sign, type Style, stepSign } from './step-sign.ts'

/** How the lines of a live view are drawn. */
export interface LineStyle extends Style {
  readonly now: number
  /** Counts redraws: moves the spinner. */
  readonly tick: number
  /** How wide a line may be. */
  readonly columns: number
  /** Makes text of the run printable: one line, with secrets masked. */
  clean(text: string): string
  readonly items: ItemNames
  /** The last frame above a question: no spinner, and the question is not repeated. */
  readonly isStill?: boolean
}

/** The position of a line, and a remark that replaces the description of its step. */
export interface LinePosition {
  readonly depth: number
  readonly label: string
  readonly labelWidth: number
  readonly remark?: string
}

/** Columns for each step around a step. */
export const indentWidth = 2

/** One line for a step: its state, its description or failure, its progress and its duration. */
export function stepLine(step: StepView, position: LinePosition, style: LineStyle): string {
  const { paint, columns, clean, now } = style
  const isIdle = step.status === 'pending' || step.status === 'skipped'
  const indent = ' '.repeat(position.depth * indentWidth)
  const head = indent.length + 2 + position.labelWidth
  const label = pad(cut(clean(position.label), position.labelWidth), position.labelWidth)
  const facts = stepFacts(step, now, style.symbols, columns - head)
  const { text, color } =
    position.remark === undefined ? detail(step, style) : { text: position.remark, color: 'yellow' as const }
  const about = cut(clean(text), columns - head - factsWidth(facts) - 2)
  const parts = [paint[color](about), ...facts].filter((part) => part !== '')
  const sign = stepSign(signOf(step, style), style, style.tick)
  return `${indent}${sign} ${isIdle ? paint.dim(label) : label}  ${parts.join('  ')}`.trimEnd()
}

function signOf(step: StepView, { now, isStill }: LineStyle): Sign {
  if (step.isWarning) return 'warning'
  if (step.status === 'running' && (isStill || currentWaits(step, now).length > 0)) return 'waiting'
  return step.caught ? 'caught' : step.status
}

function detail(
  step: StepView,
  { items }: LineStyle,
): { readonly text: string; readonly color: keyof Paint } {
  const { error, caught, status, condition, path } = step
  if (error) return { text: failedText(error, path, items), color: step.isWarning ? 'yellow' : 'red' }
  if (caught) return { text: `caught ${failedText(caught, path, items)}`, color: 'yellow' }
  if (status === 'skipped' && condition !== undefined) return { text: `skipped: ${condition}`, color: 'dim' }
  const said = status === 'running' && step.said !== undefined ? `: ${step.said}` : ''
  return { text: descriptionOf(step) + said, color: 'dim' }
}

/** The name or action of a step; of a choice that has ended, with the branch that ran. */
export function descriptionOf({
  name,
  action,
  branch,
}: Pick<StepView, 'name' | 'action' | 'branch'>): string {
  return `${name ?? action}${branch === undefined ? '' : `, branch ${branch}`}`
}

const barWidth = 10

/** Progress, attempts and duration of a step, as far as they fit; the progress bar is left out first. */
function stepFacts(step: StepView, now: number, symbols: Symbols, width: number): readonly string[] {
  const progress = progressOf(step)
  const count = progress === undefined ? endedText(step) : countingText(progress)
  const bar = progress === undefined ? count : `${barText(progress, symbols)} ${count}`
  const [attempts, time] = [attemptsText(step), timeText(step, now)]
  const choices = [[bar, attempts, time], [count, attempts, time], [count, time], [count], [time]]
  const texts = choices.map((choice) => choice.filter((text) => text !== ''))
  return texts.find((choice) => factsWidth(choice) <= width) ?? []
}

/** How wide facts are with the spaces before each. */
function factsWidth(facts: readonly string[]): number {
  return facts.reduce((sum, text) => sum + stringWidth(text) + 2, 0)
}

/** The progress of a loop, of a batch, or of a block with known steps. */
function progressOf(step: StepView): Progress | undefined {
  if (step.status !== 'running') return undefined
  const progress = step.progress ?? blockProgress(step)
  return progress?.unit === 'groups' && progress.total < 2 ? undefined : progress
}

function blockProgress({ inner, action }: StepView): Progress | undefined {
  const known = [...inner.values()].filter(({ isPlanned }) => isPlanned)
  if (known.length === 0) return undefined
  const ended = known.filter(hasEnded)
  const failed = ended.filter(({ status }) => status === 'failed' || status === 'unknown').length
  const unit = action === 'parallel' ? 'branches' : 'steps'
  return { unit, total: known.length, done: ended.length, failed }
}

function barText({ done, total }: Progress, symbols: Symbols): string {
  const filled = total === 0 ? barWidth : Math.floor((done / total) * barWidth)
  return symbols.barDone.repeat(filled) + symbols.barOpen.repeat(barWidth - filled)
}

function countingText({ done, total, failed, unit }: Progress): string {
  return `${done}/${total} ${unit}${failed === 0 ? '' : `, ${failed} failed`}`
}

/** The number of failed items of a loop or batch that succeeded. */
function endedText({ failed, status }: StepView): string {
  return status === 'succeeded' && failed ? failedItemsText(failed) : ''
}

/** The number of calls, if there were more than expected. */
function attemptsText({ attempts, progress }: StepView): string {
  return attempts > Math.max(1, progress?.total ?? 1) ? `${attempts} calls` : ''
}

function timeText({ startedAt, endedAt }: StepView, now: number): string {
  return startedAt === undefined ? '' : durationText((endedAt ?? now) - startedAt)
}
