import type { StepPlan } from './plan.ts'

/** The id of the step that a path ends at: `export` of `hosts[3]/export`, `hosts` of `hosts[3]`. */
export function stepIdOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\[\d+\]$/, '')
}

/** A path without the positions of items and turns: `hosts/ok` of `hosts[3]/ok`. `[*]` stands for any turn. */
export function withoutPositions(path: string): string {
  return path.replaceAll(/\[(\d+|\*)\]/g, '')
}

/** The suffix of a call in its step: a group of a batch, a poll of a repeat, the file of a whole batch. */
const ownCall = /(\/(group|poll)-\d+|\/save-as)+$/

/** The path of the step, or of the item of a loop, that makes a call: of `x/poll-2/group-3` it is `x`. */
export function stepAddressOfCall(callPath: string): string {
  return callPath.replace(ownCall, '')
}

/** The path of the step of a call: without group or poll, and without the positions of items and turns. */
export function stepPathOf(callPath: string): string {
  return withoutPositions(stepAddressOfCall(callPath))
}

/** Between the path of a step that runs another runbook and those of the steps that catch its failure. */
export const catchSegment = 'on-failure'

/**
 * Under which path the steps stand that catch the failure of a step. Ids are unique in one runbook only, so a step that
 * runs another one keeps them apart.
 */
export function catchPath(step: StepPlan, path: string): string {
  return step.kind === 'uses' && step.uses.runbook !== undefined ? `${path}/${catchSegment}` : path
}

/** Under which path the time is recorded at which a runbook reached its `finally`. `path` is that of the runbook. */
export function endPath(path: string): string {
  return path === '' ? endSegment : `${path}/${endSegment}`
}

/** No id of a step has a hyphen. */
const endSegment = 'at-end'
