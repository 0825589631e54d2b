import type { CallWindows } from '../../core/action.ts'
import type { Masking } from '../../core/mask/index.ts'
import type { ErrorData } from '../../core/run-error.ts'
import type { NodeWait, ShownError, StepNode } from './run-view.ts'
import { isItem, nameWithin } from './tree/step-paths.ts'
import { isLoopView, isWaiting, type StepView, type Wait } from './tree/step-view.ts'

/** How steps are shown. */
export interface NodeStyle {
  readonly nowMs: number
  /** False: its process is gone, or it has ended. */
  readonly isActive: boolean
  readonly mask: Pick<Masking, 'text'>
  /** How often an action may be called. */
  windowsOf(action: string): CallWindows | undefined
  /** What names an item. */
  itemName(path: string): string | undefined
}

const mostWaits = 5

/** A step or item as a node, without the facts of a loop. */
export function stepNode(
  step: StepView,
  {
    position,
    parent,
    outer,
  }: { readonly position: number; readonly parent?: string; readonly outer: string },
  style: NodeStyle,
): StepNode {
  const { path, name, startedAt, endedAt, error, caught, branch, condition, progress, failed } = step
  const waits = waitsOf(step, style)
  const item = isItem(path) ? style.itemName(path) : undefined
  return {
    path,
    ...(parent === undefined ? {} : { parent }),
    position,
    id: nameWithin(path, outer),
    kind: kindOf(step),
    ...(name === undefined ? {} : { name }),
    ...(step.action === '' ? {} : { action: step.action }),
    ...(item === undefined ? {} : { item }),
    status: statusOf(step, waits.length > 0, style.isActive),
    ...(startedAt === undefined ? {} : { started_at: timeText(startedAt) }),
    ...(endedAt === undefined || step.status === 'skipped' ? {} : { ended_at: timeText(endedAt) }),
    attempts: step.calls ?? step.attempts,
    ...(waits.length === 0 ? {} : { waits: waits.slice(0, mostWaits) }),
    ...(waits.length > mostWaits ? { more_waits: waits.length - mostWaits } : {}),
    ...(error ? { error: shownError(error, style.mask) } : {}),
    ...(step.isWarning ? { is_warning: true } : {}),
    ...(step.hasTolerated ? { has_tolerated: true } : {}),
    ...(caught ? { caught: shownError(caught, style.mask) } : {}),
    ...(branch === undefined ? {} : { branch }),
    ...(condition === undefined ? {} : { condition }),
    ...(failed && !isLoopView(step) ? { failed_items: { total: failed.total, failed: failed.failed } } : {}),
    ...(progress?.unit === 'groups' && progress.total > 1
      ? { groups: { total: progress.total, done: progress.done, failed: progress.failed } }
      : {}),
  }
}

function kindOf({ path, action }: StepView): StepNode['kind'] {
  if (isItem(path)) return 'item'
  if (action === 'core/run') return 'runbook'
  return action === 'block' || action === 'parallel' || action === 'choose' ? action : 'call'
}

function statusOf({ status }: StepView, isHeld: boolean, isActive: boolean): StepNode['status'] {
  if (status !== 'running') return status
  if (!isActive) return 'interrupted'
  return isHeld ? 'waiting' : 'running'
}

/** What holds a step; for a repeated block, also what holds its next turn. */
function waitsOf(step: StepView, style: NodeStyle): readonly NodeWait[] {
  if (step.status !== 'running' || !style.isActive) return []
  const own = currentWaits(step, style)
  if (!isLoopView(step) || step.progress?.unit !== 'turns') return own
  const ofTurns = [...step.inner.values()].filter(({ inner }) => inner.size === 0)
  return [...own, ...ofTurns.flatMap((turn) => currentWaits(turn, style))]
}

function currentWaits({ waits }: StepView, style: NodeStyle): readonly NodeWait[] {
  return [...waits].flatMap(([path, wait]) =>
    isWaiting(wait, style.nowMs) ? [nodeWait(path, wait, style.mask)] : [],
  )
}

/** What a step in flight, or anything inside it, waits for first. */
export function firstWait(step: StepView, nowMs: number): readonly [path: string, wait: Wait] | undefined {
  for (const entry of step.waits) if (isWaiting(entry[1], nowMs)) return entry
  for (const inner of step.inner.values()) {
    const found = inner.status === 'running' ? firstWait(inner, nowMs) : undefined
    if (found) return found
  }
  return undefined
}

/** The innermost running step. */
export function runningStep(step: StepView): StepView {
  for (const inner of step.inner.values()) if (inner.status === 'running') return runningStep(inner)
  return step
}

export function nodeWait(path: string, wait: Wait, mask: Pick<Masking, 'text'>): NodeWait {
  const { reason, since, until, message, counted, after } = wait
  return {
    path,
    reason,
    since: timeText(since),
    ...(until === undefined ? {} : { until: timeText(until) }),
    ...(message === undefined ? {} : { message: shortText(mask.text(message)) }),
    ...(counted === undefined ? {} : { counted }),
    ...(after ? { after: shownError(after, mask) } : {}),
  }
}

/** A failure, masked, with a message of at most 300 characters. */
export function shownError({ code, message, path }: ErrorData, mask: Pick<Masking, 'text'>): ShownError {
  return { code, message: shortText(mask.text(message)), ...(path === undefined ? {} : { path }) }
}

const mostCharacters = 300

export function shortText(text: string, most: number = mostCharacters): string {
  if (text.length <= most) return text
  const characters = [...text]
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`
}

export function timeText(ms: number): string {
  return new Date(ms).toISOString()
}
