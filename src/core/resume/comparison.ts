import type { Plan, StepPlan } from '../plan/plan.ts'
import { actionName } from '../plan/plan-walk.ts'
import type { ComparedCalls } from './asked-again.ts'
import type { SeenValues } from './compare-templates.ts'
import { isWriteStep, type JudgedRun, type Judgement } from './judge-step.ts'
import type { StepComparison } from './resume-comparison.ts'

/** A comparison in progress. What compares a part returns whether the part certainly gives what it gave before. */
export interface Comparison extends JudgedRun {
  readonly after: Plan
  readonly steps: StepComparison[]
  /** The steps whose calls a yes can cover, by their paths. */
  readonly calls: Map<string, ComparedCalls>
  readonly sameLoops: Set<string>
}

/** One step on both sides of the changes. */
export interface ComparedStep<Step extends StepPlan = StepPlan> {
  readonly step: Step
  /** Undefined: the runbook did not have it. */
  readonly was: StepPlan | undefined
  readonly path: string
}

/** Compares steps that run one after another. `seen`: what the steps after them see. */
export type CompareList = (
  comparison: Comparison,
  steps: readonly StepPlan[],
  around: string,
  seenHere: SeenValues,
) => { readonly isSame: boolean; readonly seen: ReadonlyMap<string, boolean> }

/** Lists what the resume does with a step. */
export function note(
  { steps, local, done }: Comparison,
  step: StepPlan,
  path: string,
  { fate, reason }: Judgement,
): void {
  const action = actionName(step)
  steps.push({
    path,
    action,
    is_write: step.kind === 'uses' && isWriteStep(step, local),
    fate,
    ...(reason === undefined ? {} : { reason }),
    done: done.calls(path, action) + done.callsAgain(path, action),
  })
}
