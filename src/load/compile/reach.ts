import type { JsonPath } from '../../core/json.ts'
import type { CatchPlan, StepPlan } from '../../core/plan/index.ts'
import type { CatchKeys } from '../runbook-document.ts'
import type { Source } from '../source.ts'

/** Whether a step always ends with a failure, so that no step after it is reached. */
export function alwaysFails(step: StepPlan): boolean {
  const isAlwaysRun = step.if === undefined || (step.if.tree.kind === 'value' && step.if.tree.value === true)
  return isAlwaysRun && failsWhenRun(step)
}

/** Whether a step ends with a failure each time its condition holds. */
export function failsWhenRun(step: StepPlan): boolean {
  // A loop may have no items.
  if (step.continueOnError || step.forEach || step.catch?.some(recovers)) return false
  switch (step.kind) {
    case 'uses':
      return step.uses.action.name === 'core/fail'
    case 'block':
      return step.steps.some(alwaysFails)
    case 'parallel':
      return step.branches.some(alwaysFails)
    case 'choose': {
      const hasOtherwise = step.choices.some(({ when }) => when === undefined)
      return hasOtherwise && step.choices.every(({ steps }) => steps.some(alwaysFails))
    }
  }
}

/** Whether a `catch` entry can make a success of a failure. */
export function recovers({ keepsFailure, steps }: CatchPlan): boolean {
  return !keepsFailure && !steps.some(alwaysFails)
}

/** Warns of a step after one that always fails. */
export function warnOfUnreachable({ findings, rangeOf }: Source, end: StepPlan, path: JsonPath): void {
  const message = `this step is never reached: the step "${end.id}" before it always fails`
  findings.warn('NO_EFFECT', path, rangeOf([...path, 'id']), message, 'an if says when that step runs')
}

/** The first `catch` entry that fits counts: a later one for a code that has been taken without a condition never does. */
export function checkReach(
  source: Source,
  { errors = [], when }: CatchKeys,
  path: JsonPath,
  taken: Set<unknown>,
): void {
  for (const [index, code] of errors.entries()) {
    if (typeof code !== 'string') continue
    if (taken.has('all') || taken.has(code)) {
      const message = `an entry before this one catches "${code}" already`
      source.warn('NO_EFFECT', [...path, index], message, 'the first entry that fits counts')
    }
    if (when === undefined || when === true) taken.add(code)
  }
}
