import type { StepPlan } from '../plan.ts'

/** Between the path of a step that runs another runbook and those of the steps that catch its failure. */
export const catchSegment = 'on-failure'

/**
 * Under which path the steps stand that catch the failure of a step. Ids are unique in one runbook only, so a step that
 * runs another one keeps them apart.
 */
export function catchPath(step: StepPlan, path: string): string {
  return step.kind === 'uses' && step.uses.runbook !== undefined ? `${path}/${catchSegment}` : path
}
