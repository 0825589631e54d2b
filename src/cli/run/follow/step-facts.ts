import stringWidth from 'string-width'
import { durationText } from '../../terminal/duration-text.ts'
import type { Symbols } from '../../terminal/symbols.ts'
import { hasEnded, type Progress, type StepView } from './step-view.ts'

const barWidth = 10

/** How far a step is, how often it was tried, how long it has taken: of that what fits, the bar first left out. */
export function stepFacts(step: StepView, now: number, symbols: Symbols, width: number): readonly string[] {
  const progress = progressOf(step)
  const count = progress === undefined ? endedText(step) : countingText(progress)
  const bar = progress === undefined ? count : `${barText(progress, symbols)} ${count}`
  const [attempts, time] = [attemptsText(step), timeText(step, now)]
  const choices = [[bar, attempts, time], [count, attempts, time], [count, time], [count], [time]]
  const texts = choices.map((choice) => choice.filter((text) => text !== ''))
  return texts.find((choice) => factsWidth(choice) <= width) ?? []
}

/** How wide facts are with the spaces before each. */
export function factsWidth(facts: readonly string[]): number {
  return facts.reduce((sum, text) => sum + stringWidth(text) + 2, 0)
}

/** How far a loop, a batch or a block is whose steps are known. */
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

/** How many items failed of a loop or batch that has ended, for whoever has to decide what follows from it. */
function endedText({ tally, status }: StepView): string {
  return status === 'succeeded' && tally && tally.failed > 0
    ? `${tally.failed} of ${tally.total} items failed`
    : ''
}

/** How often it has called, where that is news. */
function attemptsText({ attempts, progress }: StepView): string {
  return attempts > Math.max(1, progress?.total ?? 1) ? `${attempts} calls` : ''
}

function timeText({ startedAt, endedAt }: StepView, now: number): string {
  return startedAt === undefined ? '' : durationText((endedAt ?? now) - startedAt)
}
