import type { Scope } from '../expressions/evaluate.ts'
import type { Expression } from '../expressions/tree.ts'
import type { ChooseStepPlan } from '../plan/plan.ts'
import { holds } from './condition.ts'
import type { Frame } from './frame.ts'
import { runBlock } from './sequence.ts'
import type { StepResult } from './step-result.ts'

/** Runs the steps of the first branch whose condition is true. Without such a branch the step is skipped. */
export async function runChoose(step: ChooseStepPlan, frame: Frame): Promise<StepResult> {
  const branch = chosenBranch(step, frame.scope)
  const choice = branch === undefined ? undefined : step.choices[branch]
  if (branch === undefined || !choice) return { status: 'skipped', attempts: 0 }
  return { ...(await runBlock(choice.steps, frame)), branch }
}

/** The position of the branch that counts. Undefined: no condition is true. */
export function chosenBranch({ choices }: ChooseStepPlan, scope: Scope): number | undefined {
  const branch = choices.findIndex(({ when }) => when === undefined || holds(when, 'when', scope))
  return branch < 0 ? undefined : branch
}

/** The conditions of the branches. */
export function conditionsOf({ choices }: ChooseStepPlan): readonly Expression[] {
  return choices.flatMap(({ when }) => (when === undefined ? [] : [when]))
}
