import type { Masking } from '../../../core/mask/mask.ts'
import type { Plan } from '../../../core/plan.ts'
import { stepIdOf } from '../../../core/steps/step-id.ts'
import { callingSteps } from '../uses-of-plan.ts'
import { type PlannedStep, plannedSteps } from './planned-steps.ts'

/** What is known of a run before it starts. */
export interface RunFacts {
  /** Whether a step makes something new; what it answers is kept. One action can do so in one step and not in another. */
  creates(path: string, action: string): boolean
  /** Steps besides those that the run itself tells of. */
  readonly planned: readonly PlannedStep[]
  /** What people are asked has been answered with yes before. */
  readonly approvesAll?: boolean
  /** Hides what names of items must not show. */
  readonly mask?: Masking
}

/** What a plan says of its runs. */
export function runFacts(plan: Plan): RunFacts {
  const steps = callingSteps(plan).filter(({ uses }) => uses.action.safety === 'create')
  const creating = new Set(steps.map(({ id, uses }) => `${id} ${uses.action.name}`))
  return {
    creates: (path, action) => creating.has(`${stepIdOf(path)} ${action}`),
    planned: plannedSteps(plan),
  }
}
