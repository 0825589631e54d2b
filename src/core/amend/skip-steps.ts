import type { Expression } from '../expressions/tree.ts'
import type { CatchPlan, Plan, StepPlan } from '../plan.ts'
import { catchPath } from '../steps/catch-path.ts'

/** What people see as the condition of a step that somebody wanted to be skipped. */
const never: Expression = { source: '--skip', tree: { kind: 'value', value: false, span: [0, 0] } }

/** The plan with these steps, by their paths, under a condition that never holds. */
export function skipSteps(plan: Plan, skipped: readonly string[]): Plan {
  if (skipped.length === 0) return plan
  const children: Record<string, Plan> = { ...plan.children }
  const isInside = (path: string): boolean => skipped.some((name) => name.startsWith(`${path}/`))
  const list = (steps: readonly StepPlan[], around: string): readonly StepPlan[] =>
    steps.map((step) => one(step, around === '' ? step.id : `${around}/${step.id}`))
  const handlers = (entries: readonly CatchPlan[], around: string): readonly CatchPlan[] =>
    entries.map((entry) => ({ ...entry, steps: list(entry.steps, around) }))
  const parts = (
    one: Pick<Plan, 'catch' | 'finally'>,
    around: string,
    caught = around,
  ): Pick<Plan, 'catch' | 'finally'> => ({
    ...(one.catch ? { catch: handlers(one.catch, caught) } : {}),
    ...(one.finally ? { finally: list(one.finally, around) } : {}),
  })
  const one = (step: StepPlan, path: string): StepPlan => {
    if (skipped.includes(path)) return { ...step, if: never }
    if (!isInside(path)) return step
    const caught = catchPath(step, path)
    switch (step.kind) {
      case 'uses':
        return { ...step, ...parts(step, path, caught), uses: { ...step.uses, ...child(step, path) } }
      case 'block':
        return { ...step, ...parts(step, path, caught), steps: list(step.steps, path) }
      case 'parallel':
        return { ...step, ...parts(step, path, caught), branches: list(step.branches, path) }
    }
  }
  /** Another step may run the same runbook, and skips nothing of it. */
  const child = ({ uses }: StepPlan & { kind: 'uses' }, path: string): { readonly runbook?: string } => {
    const plain = children[uses.runbook ?? '']
    if (!plain) return {}
    const runbook = `${uses.runbook} of ${path}`
    children[runbook] = { ...plain, ...parts(plain, path), steps: list(plain.steps, path) }
    return { runbook }
  }
  const amended = { ...plan, ...parts(plan, ''), steps: list(plan.steps, '') }
  return Object.keys(children).length === 0 ? amended : { ...amended, children }
}
