import { durationText } from '../../terminal/duration-text.ts'
import type { Paint } from '../../terminal/paint.ts'
import { printableLine } from '../../terminal/printable.ts'
import type { Symbols } from '../../terminal/symbols.ts'
import type { StepView } from './step-view.ts'
import { isWaiting, waitText } from './wait-text.ts'

/** How lines are drawn. */
export interface Style {
  readonly paint: Paint
  readonly symbols: Symbols
}

const barWidth = 10
/** Of one step no more waiting calls than this are named. */
const namedWaits = 2

/** The sign of a step's state, coloured. */
export function stepSign(status: StepView['status'], { paint, symbols }: Style, tick = 0): string {
  switch (status) {
    case 'succeeded':
      return paint.green(symbols.succeeded)
    case 'failed':
    case 'cancelled':
      return paint.red(symbols.failed)
    case 'unknown':
      return paint.yellow(symbols.unknown)
    case 'skipped':
      return paint.dim(symbols.skipped)
    case 'pending':
      return paint.dim(symbols.pending)
    case 'running':
      return paint.cyan(symbols.spinner[tick % symbols.spinner.length] ?? '')
  }
}

/** The lines of one step: its state, and under it whatever keeps it from going on. */
export function stepLines(
  step: StepView,
  now: number,
  tick: number,
  labelWidth: number,
  style: Style,
): readonly string[] {
  const { paint } = style
  const label = printableLine(step.path).padEnd(labelWidth)
  const isDim = step.status === 'pending' || step.status === 'skipped'
  const parts = [
    detail(step, style),
    progressText(step, style),
    attemptsText(step, style),
    timeText(step, now),
  ]
  const rest = parts.filter((part) => part !== '').join('  ')
  const line = `${stepSign(step.status, style, tick)} ${isDim ? paint.dim(label) : label}  ${rest}`.trimEnd()
  return step.status === 'running' ? [line, ...waitLines(step, now, style)] : [line]
}

function detail(step: StepView, { paint }: Style): string {
  if (step.error) return paint.red(`${step.error.code}: ${printableLine(step.error.message)}`)
  if (step.status === 'skipped' && step.condition)
    return paint.dim(`skipped: ${printableLine(step.condition)}`)
  return paint.dim(printableLine(step.name ?? step.action))
}

function progressText({ progress, status }: StepView, { paint, symbols }: Style): string {
  if (!progress || status !== 'running' || (progress.unit === 'groups' && progress.total < 2)) return ''
  const { done, total, failed, unit } = progress
  const filled = total === 0 ? barWidth : Math.floor((done / total) * barWidth)
  const bar = symbols.barDone.repeat(filled) + symbols.barOpen.repeat(barWidth - filled)
  const failures = failed === 0 ? '' : paint.red(`, ${failed} failed`)
  return `${paint.cyan(bar)} ${done}/${total} ${unit}${failures}`
}

/** How often, where that is news: more than one attempt of a single call. */
function attemptsText(step: StepView, { paint }: Style): string {
  const isNews = step.attempts > Math.max(1, step.progress?.total ?? 1)
  return isNews ? paint.yellow(`${step.attempts} attempts`) : ''
}

function timeText({ startedAt, endedAt }: StepView, now: number): string {
  return startedAt === undefined ? '' : durationText((endedAt ?? now) - startedAt)
}

function waitLines(step: StepView, now: number, { paint, symbols }: Style): readonly string[] {
  const waits = [...step.waits].filter(([, wait]) => isWaiting(wait, now))
  const lines = waits.slice(0, namedWaits).map(([path, wait]) => {
    const which = path === step.path ? '' : `${partName(path.slice(step.path.length))} `
    return `    ${paint.yellow(`${symbols.waiting} ${printableLine(which)}${waitText(wait, now)}`)}`
  })
  const more = waits.length - namedWaits
  return more > 0 ? [...lines, `    ${paint.yellow(`${symbols.waiting} and ${more} more wait`)}`] : lines
}

/** `[3]/group-2` in words: `item 3, group 2`. */
function partName(part: string): string {
  return part
    .split(/(?=[[/])/)
    .map((piece) =>
      piece
        .replace(/^\[(\d+)\]$/, 'item $1')
        .replace(/^\/group-/, 'group ')
        .replace(/^\//, ''),
    )
    .join(', ')
}
