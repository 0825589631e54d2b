import type { KnownScope } from '../expressions/known.ts'
import type { Expression } from '../expressions/tree.ts'
import type { ChooseStepPlan, StepPlan } from '../plan/plan.ts'
import { previewCondition } from '../preview/preview-value.ts'
import { isSameCondition, type SeenValues, sidesOf } from './compare-templates.ts'
import { type ComparedStep, type CompareList, type Comparison, note } from './comparison.ts'

/** The steps of a branch that certainly does not run are skipped. */
export function compareChoose(
  comparison: Comparison,
  { step, was, path }: ComparedStep<ChooseStepPlan>,
  seenHere: SeenValues,
  compareList: CompareList,
): boolean {
  const before = was?.kind === 'choose' ? was.choices : []
  const sides = sidesOf(seenHere)
  const isSame =
    comparison.isPlain !== undefined ||
    (before.length === step.choices.length &&
      step.choices.every(({ when }, index) => isSameCondition(before[index]?.when, when, sides)))
  const hasBegun = ({ id }: StepPlan): boolean => comparison.done.hasBegun(`${path}/${id}`)
  // Without changes the branch that failed is the one that is tried again.
  const isTriedAgain = comparison.isPlain && step.choices.some(({ steps }) => steps.some(hasBegun))
  const wasDecided = isSame && (comparison.done.hasEndedWell(path) || isTriedAgain === true)
  let isTaken: boolean | undefined = false
  const inside = step.choices.map(({ when, steps }) => {
    const isTrue = when === undefined || isKnownTrue(when, sides.after)
    const wasOther = wasDecided && !steps.some(hasBegun)
    const isLeft = isTaken === true || isTrue === false || wasOther
    if (isTrue !== false) isTaken ||= isTrue
    if (!isLeft) return compareList(comparison, steps, path, seenHere).isSame
    const reason = when === undefined ? {} : { reason: when.source }
    for (const one of steps) note(comparison, one, `${path}/${one.id}`, { fate: 'skipped', ...reason })
    return true
  })
  return isSame && inside.every(Boolean)
}

/** Undefined: only the run can know. */
function isKnownTrue(condition: Expression, scope: KnownScope): boolean | undefined {
  const { state } = previewCondition(condition, scope)
  return state === 'true' ? true : state === 'false' ? false : undefined
}
