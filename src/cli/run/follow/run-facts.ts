import type { Plan } from '../../../core/plan.ts'
import { usesOf } from '../uses-of-plan.ts'
import { type PlannedStep, plannedSteps } from './planned-steps.ts'

/** What is known of a run before it starts. */
export interface RunFacts {
  /** The actions that make something new; what they answer is kept. */
  readonly creating: ReadonlySet<string>
  /** Steps besides those that the run itself tells of. */
  readonly planned: readonly PlannedStep[]
}

/** What a plan says of its runs. */
export function runFacts(plan: Plan): RunFacts {
  const creating = usesOf(plan).filter(({ action }) => action.safety === 'create')
  return { creating: new Set(creating.map(({ action }) => action.name)), planned: plannedSteps(plan) }
}
