import type { Paint } from '../../../project/index.ts'
import type { StepView, Wait } from '../../../view/run/index.ts'
import { isItem, isWaiting } from '../../../view/run/index.ts'
import type { Symbols } from '../../shared/terminal/symbols.ts'

/** How lines are drawn. */
export interface Style {
  readonly paint: Paint
  readonly symbols: Symbols
}

/** The meaning of a sign. `caught`: the step failed and its `catch` handled it; `warning`: its failure is tolerated. */
export type Sign = StepView['status'] | 'waiting' | 'warning' | 'caught'

/** The colored sign of a state. `tick` moves the spinner of a running step. */
export function stepSign(sign: Sign, { paint, symbols }: Style, tick = 0): string {
  switch (sign) {
    case 'succeeded':
      return paint.green(symbols.succeeded)
    case 'caught':
      return paint.yellow(symbols.succeeded)
    case 'warning':
      return paint.yellow(symbols.warning)
    case 'failed':
      return paint.red(symbols.failed)
    case 'cancelled':
      return paint.yellow(symbols.cancelled)
    case 'unknown':
      return paint.yellow(symbols.unknown)
    case 'skipped':
      return paint.dim(symbols.skipped)
    case 'pending':
      return paint.dim(symbols.pending)
    case 'waiting':
      return paint.yellow(symbols.waiting)
    case 'running':
      return paint.cyan(symbols.spinner[tick % symbols.spinner.length] ?? '')
  }
}

/** Whether a step failed, was cancelled or has an unknown outcome. */
export function isBad({ status, isWarning }: StepView): boolean {
  return status === 'failed' || status === 'unknown' || status === 'cancelled' || isWarning === true
}

/** The inner steps to show: those that are running, and those that failed. */
export function atWork({ inner, status }: StepView): readonly StepView[] {
  if (status !== 'running') return []
  return [...inner.values()].filter((step) => step.status === 'running' || isBad(step))
}

/** An item with exactly one running step is shown as that step. */
export function innermost(step: StepView): StepView {
  const [only, ...others] = atWork(step)
  const isTransparent =
    isItem(step.path) && only !== undefined && others.length === 0 && step.waits.size === 0
  return isTransparent ? innermost(only) : step
}

/** What blocks the calls of a step, by the paths of the calls. */
export function currentWaits({ waits }: StepView, now: number): readonly (readonly [string, Wait])[] {
  return [...waits].filter(([, wait]) => isWaiting(wait, now))
}

/** Whether a step or anything inside it waits for a person, for an event, or for a time that the runbook gives. */
export function isAwaiting(step: StepView, now: number): boolean {
  return (['approval', 'answer', 'event', 'wait'] as const).some((reason) => isHeldUp(step, now, reason))
}

/** Whether a step or anything inside it waits, for the given reason if there is one. */
export function isHeldUp(step: StepView, now: number, reason?: Wait['reason']): boolean {
  const isHeld = currentWaits(step, now).some(([, wait]) => reason === undefined || wait.reason === reason)
  return isHeld || [...step.inner.values()].some((inner) => isHeldUp(inner, now, reason))
}
