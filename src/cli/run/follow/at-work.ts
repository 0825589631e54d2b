import { isItem } from './places.ts'
import type { StepView, Wait } from './step-view.ts'
import { isWaiting } from './wait-text.ts'

/** It ended in a way that people should know of. */
export function isBad({ status, isWarning }: StepView): boolean {
  return status === 'failed' || status === 'unknown' || status === 'cancelled' || isWarning === true
}

/** What is to be seen inside a step: what goes on in it, and what went wrong there. */
export function atWork({ inner, status }: StepView): readonly StepView[] {
  if (status !== 'running') return []
  return [...inner.values()].filter((step) => step.status === 'running' || isBad(step))
}

/** An item in which exactly one step is at work is shown as that step. */
export function innermost(step: StepView): StepView {
  const [only, ...others] = atWork(step)
  const isPassage = isItem(step.path) && only !== undefined && others.length === 0 && step.waits.size === 0
  return isPassage ? innermost(only) : step
}

/** What keeps calls of a step from going on, by the paths of the calls. */
export function currentWaits({ waits }: StepView, now: number): readonly (readonly [string, Wait])[] {
  return [...waits].filter(([, wait]) => isWaiting(wait, now))
}

/** Whether anything in a step, itself included, waits for one of these reasons, or at all. */
export function isHeldUp(step: StepView, now: number, reason?: Wait['reason']): boolean {
  const isHeld = currentWaits(step, now).some(([, wait]) => reason === undefined || wait.reason === reason)
  return isHeld || [...step.inner.values()].some((inner) => isHeldUp(inner, now, reason))
}
