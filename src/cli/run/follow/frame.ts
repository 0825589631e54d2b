import stringWidth from 'string-width'
import type { RunTree } from '../../../view/run/index.ts'
import { hasEnded, type StepView } from '../../../view/run/index.ts'
import { cut, wrap } from '../../shared/terminal/columns.ts'
import { countText, durationText } from '../../shared/terminal/quantity-text.ts'
import { type LineStyle, stepLine } from './step-line.ts'
import { isBad, stepSign } from './step-sign.ts'
import { createLabels, drawTree } from './step-tree.ts'

/** What a frame is drawn for. */
export interface FrameOptions extends LineStyle {
  /** Lines the frame may take. */
  readonly rows: number
  /** The last line: what the user can do. */
  readonly note: string
}

/** Rows that are kept for ended and pending steps, however many steps are running. */
const keptRows = 4
/** With fewer rows there are no empty lines. */
const roomyRows = 10
/** Most lines for what the user can do. */
const noteLines = 3

/**
 * One frame of a run: a head, the steps in their order, a foot. If the steps do not fit, running steps take precedence,
 * then failed ones, the last that ended and the next to start; the others are counted.
 */
export function drawFrame(state: RunTree, options: FrameOptions): readonly string[] {
  const { paint, columns, rows, clean } = options
  const name = cut(clean(state.runbook), columns)
  const title = state.title === undefined ? '' : cut(`  ${clean(state.title)}`, columns - stringWidth(name))
  const space = rows < roomyRows ? [] : ['']
  const foot = footLines(state, options)
  const body = drawSteps(state.steps, options, Math.max(1, rows - 1 - 2 * space.length - foot.length))
  return [paint.bold(name) + title, ...space, ...body, ...space, ...foot]
}

/**
 * The progress of the run, and what the user can do. The last line changes with every frame: log-update 7.2 leaves old lines
 * where the number of lines changes above equal ones.
 */
function footLines(state: RunTree, options: FrameOptions): readonly string[] {
  const { paint, symbols, columns, note, isStill } = options
  const separator = ` ${symbols.separator} `
  const facts = footFacts(state, options).join(separator)
  if (isStill) return [`  ${paint.dim(cut(facts, columns - 2))}`]
  const whole = note === '' ? facts : facts + separator + note
  const isOneLine = stringWidth(whole) <= columns - 2
  const above = isOneLine ? [] : wrap(note, Math.max(8, columns - 2)).slice(0, noteLines)
  const last = cut(isOneLine ? whole : facts, columns - 2)
  return [
    ...above.map((line) => `  ${line}`),
    `${stepSign('running', options, options.tick)} ${paint.dim(last)}`,
  ]
}

function footFacts({ steps, startedAt }: RunTree, { now }: FrameOptions): readonly string[] {
  const bad = steps.filter(isBad)
  const failed = bad.filter(({ isWarning }) => !isWarning).length
  return [
    `${steps.filter(hasEnded).length} of ${countText(steps.length, 'step')}`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(bad.length > failed ? [countText(bad.length - failed, 'warning')] : []),
    ...(startedAt === undefined ? [] : [durationText(now - startedAt)]),
  ]
}

function drawSteps(steps: readonly StepView[], options: FrameOptions, rows: number): readonly string[] {
  const working = steps.filter(({ status }) => status === 'running')
  const idle = steps.length - working.length
  const labels = createLabels(steps, '', 0, options)
  const room = Math.max(1, rows - Math.min(idle, keptRows))
  const { linesOf, rest } = drawTree(working, room, options, { depth: 0, labels })
  const tree = [...[...linesOf.values()].flat(), ...rest]
  const draw = (step: StepView): string =>
    stepLine(step, { depth: 0, label: labels.of(step), labelWidth: labels.width }, options)
  const left = rows - tree.length
  if (idle <= left && rest.length === 0) return steps.flatMap((step) => linesOf.get(step) ?? [draw(step)])
  const ended = steps.filter(hasEnded)
  const pending = steps.filter(({ status }) => status === 'pending')
  const forPending = Math.min(pending.length, Math.max(Math.floor(left / 3), left - ended.length))
  return [
    ...drawEnded(ended, left - forPending, draw, options),
    ...tree,
    ...drawPending(pending, forPending, draw, options),
  ]
}

/** Failed steps and the last that ended, under a count of the others. */
function drawEnded(
  steps: readonly StepView[],
  rows: number,
  draw: (step: StepView) => string,
  options: FrameOptions,
): readonly string[] {
  if (steps.length <= rows) return steps.map(draw)
  if (rows < 1) return []
  const room = rows - 1
  const bad = room === 0 ? [] : steps.filter(isBad).slice(-room)
  const good = steps.filter((step) => !isBad(step))
  const shown = new Set([...bad, ...good.slice(good.length - (room - bad.length))])
  const hidden = steps.filter((step) => !shown.has(step))
  return [hiddenLine(hidden, options), ...steps.filter((step) => shown.has(step)).map(draw)]
}

function hiddenLine(hidden: readonly StepView[], options: FrameOptions): string {
  const failed = hidden.filter(isBad).length
  const skipped = hidden.filter(({ status }) => status === 'skipped').length
  const facts = [
    `${hidden.length} earlier ${hidden.length === 1 ? 'step' : 'steps'} ended`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ]
  return `${stepSign(failed > 0 ? 'warning' : 'succeeded', options)} ${options.paint.dim(facts.join(', '))}`
}

/** The next steps to start, above a count of the others. */
function drawPending(
  steps: readonly StepView[],
  rows: number,
  draw: (step: StepView) => string,
  { paint }: FrameOptions,
): readonly string[] {
  if (steps.length <= rows) return steps.map(draw)
  if (rows < 1) return []
  const shown = steps.slice(0, rows - 1)
  return [...shown.map(draw), paint.dim(`  and ${steps.length - shown.length} more to come`)]
}
