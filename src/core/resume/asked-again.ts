import { coversArgument } from '../approval/plan-covers.ts'
import { isNamed } from '../approval/seal-calls.ts'
import { type Reference, referencesOf } from '../expressions/references.ts'
import type { UsesStepPlan } from '../plan/plan.ts'
import type { Sameness } from './compare-templates.ts'
import type { StepComparison } from './resume-comparison.ts'

/** A step that calls an action and stands in no `catch` and no `finally`, and whether its calls are the same. */
export interface ComparedCalls {
  readonly step: UsesStepPlan
  readonly sameness: Sameness
}

/**
 * Says of each approval that counts whether the run asks for it again, since the calls that its yes covers are others
 * now. A call that reads what comes after the question is none of them.
 */
export function withAskedAgain(
  steps: readonly StepComparison[],
  calls: ReadonlyMap<string, ComparedCalls>,
): readonly StepComparison[] {
  return steps.map((one, at) => {
    const question = calls.get(one.path)
    if (one.action !== 'core/approve' || one.fate !== 'reused' || !question) return one
    const next = steps.findIndex(({ action }, place) => place > at && action === 'core/approve')
    const sameness = samenessOfCovered(steps.slice(at + 1, next < 0 ? undefined : next), calls, question.step)
    if (sameness.has('changed'))
      return { ...one, fate: 'again', reason: 'asks again: the calls that its yes covers have changed' }
    if (!sameness.has('open')) return one
    return { ...one, fate: 'depends', reason: 'asks again if the calls that its yes covers have changed' }
  })
}

function samenessOfCovered(
  following: readonly StepComparison[],
  calls: ReadonlyMap<string, ComparedCalls>,
  question: UsesStepPlan,
): ReadonlySet<Sameness> {
  const covers = coversArgument(question.uses)
  const named = Array.isArray(covers) ? covers.map(String) : undefined
  const later = new Set(following.flatMap(({ path }) => path.split('/')))
  const readsLater = ([root, id]: Reference): boolean => root === 'steps' && later.has(String(id))
  const covered = following.flatMap(({ path, fate, is_write: isWrite }): Sameness[] => {
    const found = calls.get(path)
    if (!isWrite || !found || !isNamed(path, named)) return []
    if (referencesOf(found.step.uses.with).some(readsLater)) return []
    return [fate === 'new' ? 'changed' : found.sameness]
  })
  return new Set(covered)
}
