import type { Expression } from '../expressions/tree.ts'
import type { Plan, StepPlan, UsesStepPlan } from '../plan/plan.ts'
import { changeCaughtSteps, changeInnerSteps } from '../plan/plan-walk.ts'
import { catchPath } from '../plan/step-address.ts'

/** The condition that views show for a step that the user skips. */
const never: Expression = { source: '--skip', tree: { kind: 'value', value: false, span: [0, 0] } }

/** The plan with these steps, by their paths, under a condition that never holds. */
export function skipSteps(plan: Plan, skipped: readonly string[]): Plan {
  if (skipped.length === 0) return plan
  const children: Record<string, Plan> = { ...plan.children }
  const isInside = (path: string): boolean => skipped.some((name) => name.startsWith(`${path}/`))
  const list = (steps: readonly StepPlan[], around: string): readonly StepPlan[] =>
    steps.map((step) => one(step, around === '' ? step.id : `${around}/${step.id}`))
  const document = (one: Plan, around: string): Plan => ({
    ...one,
    ...(one.finally ? { finally: list(one.finally, around) } : {}),
    steps: list(one.steps, around),
  })
  const one = (step: StepPlan, path: string): StepPlan => {
    if (skipped.includes(path)) return { ...step, if: never }
    if (!isInside(path)) return step
    const inner = changeInnerSteps(step, (steps) => list(steps, path))
    const changed = { ...inner, ...changeCaughtSteps(step, (steps) => list(steps, catchPath(step, path))) }
    return changed.kind === 'uses'
      ? { ...changed, uses: { ...changed.uses, ...child(changed, path) } }
      : changed
  }
  /** Another step may run the same runbook, and skips nothing of it. */
  const child = ({ uses }: UsesStepPlan, path: string): { readonly runbook?: string } => {
    const plain = children[uses.runbook ?? '']
    if (!plain) return {}
    const runbook = `${uses.runbook} of ${path}`
    children[runbook] = document(plain, path)
    return { runbook }
  }
  const changed = document(plan, '')
  return Object.keys(children).length === 0 ? changed : { ...changed, children }
}
