import { durationText } from '../../terminal/duration-text.ts'
import { printableLine } from '../../terminal/printable.ts'
import type { RunState } from './run-state.ts'
import { type Style, stepLines, stepSign } from './step-line.ts'
import type { StepView } from './step-view.ts'

/** What a frame is drawn for. */
export interface FrameOptions extends Style {
  readonly now: number
  /** Counts redraws: turns the spinner. */
  readonly tick: number
  /** Lines the frame may take. */
  readonly rows: number
  /** The last line: what the person can do. */
  readonly note: string
}

const widestLabel = 28

/**
 * One picture of a run: a head, the steps in their order, a foot. Where the steps do not fit, the ones at work stay,
 * then the last that ended and the next to come; the others are counted.
 */
export function drawFrame(state: RunState, options: FrameOptions): readonly string[] {
  const { paint, symbols, now } = options
  const elapsed = state.startedAt === undefined ? '' : durationText(now - state.startedAt)
  const title = state.title === undefined ? '' : `  ${printableLine(state.title)}`
  const head = `${paint.bold(printableLine(state.runbook))}${title}  ${paint.dim(elapsed)}`
  const ended = state.steps.filter(hasEnded).length
  const foot = `${ended} of ${state.steps.length} steps ${symbols.separator} ${options.note}`
  return [head, '', ...drawSteps(state.steps, options, Math.max(1, options.rows - 4)), '', paint.dim(foot)]
}

function drawSteps(steps: readonly StepView[], options: FrameOptions, rows: number): readonly string[] {
  const labelWidth = Math.min(widestLabel, Math.max(0, ...steps.map(({ path }) => path.length)))
  const draw = (step: StepView): readonly string[] =>
    stepLines(step, options.now, options.tick, labelWidth, options)
  const atWork = steps.filter(({ status }) => status === 'running')
  const active = fitRows(atWork.map(draw), Math.max(1, rows - 4), (hidden) => `  and ${hidden} more at work`)
  const ended = steps.filter(hasEnded)
  const pending = steps.filter(({ status }) => status === 'pending')
  const left = rows - active.length
  if (ended.length + pending.length <= left) return steps.flatMap(draw)
  const [endedRows, pendingRows] = share(left, ended.length, pending.length)
  return [
    ...drawEnded(ended, endedRows, draw, options),
    ...active,
    ...fitRows(pending.map(draw), pendingRows, (hidden) => options.paint.dim(`  and ${hidden} more to come`)),
  ]
}

/** Two parts of the steps for what has ended, one for what comes; what one does not need the other gets. */
function share(rows: number, ended: number, pending: number): readonly [number, number] {
  const forPending = Math.min(pending, Math.max(Math.floor(rows / 3), rows - ended))
  return [rows - forPending, forPending]
}

/** The last that ended, under a count of the earlier ones. Those that went wrong stay before those that went well. */
function drawEnded(
  steps: readonly StepView[],
  rows: number,
  draw: (step: StepView) => readonly string[],
  options: FrameOptions,
): readonly string[] {
  if (steps.length <= rows) return steps.flatMap(draw)
  if (rows < 1) return []
  const room = rows - 1
  const bad = steps.filter(isBad).slice(-room || steps.length)
  const good = steps.filter((step) => !isBad(step))
  const shown = new Set([
    ...(room === 0 ? [] : bad),
    ...good.slice(good.length - Math.max(0, room - bad.length)),
  ])
  const hidden = steps.length - shown.size
  const sign = stepSign('succeeded', options)
  const count = `${sign} ${options.paint.dim(`${hidden} earlier step${hidden === 1 ? '' : 's'} ended`)}`
  return [count, ...steps.filter((step) => shown.has(step)).flatMap(draw)]
}

/** As many blocks of lines as fit, and a line for the rest. */
function fitRows(
  blocks: readonly (readonly string[])[],
  rows: number,
  describeHidden: (hidden: number) => string,
): readonly string[] {
  const all = blocks.flat()
  if (all.length <= rows) return all
  const lines: string[] = []
  let shown = 0
  for (const block of blocks) {
    if (lines.length + block.length > rows - 1) break
    lines.push(...block)
    shown++
  }
  return rows < 1 ? [] : [...lines, describeHidden(blocks.length - shown)]
}

function hasEnded({ status }: StepView): boolean {
  return status !== 'pending' && status !== 'running'
}

function isBad({ status }: StepView): boolean {
  return status === 'failed' || status === 'unknown' || status === 'cancelled'
}
