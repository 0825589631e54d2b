import { coreActions } from './core-actions.ts'
import type { Plan, StepPlan } from './plan.ts'

/** What a plan asks for and the interpreter does not carry out yet: refused before a run, never ignored. */
export function unsupportedFeatures(plan: Plan): readonly string[] {
  const document = [
    ...(plan.timeoutMs === undefined ? [] : ['timeout']),
    ...(plan.catch === undefined ? [] : ['catch']),
    ...(plan.finally === undefined ? [] : ['finally']),
    ...(plan.concurrency === undefined ? [] : ['concurrency']),
  ]
  return [...document, ...plan.steps.flatMap(ofStep)]
}

function ofStep(step: StepPlan): readonly string[] {
  const isCore = step.kind === 'uses' && coreActions.some(({ name }) => name === step.uses.action.name)
  const features = {
    'the action': isCore,
    steps: step.kind === 'block',
    parallel: step.kind === 'parallel',
    timeout: step.timeoutMs !== undefined,
    'continue-on-error': step.continueOnError === true,
    catch: step.catch !== undefined,
    outputs: step.outputs !== undefined,
    connection: step.kind === 'uses' && step.uses.connection !== undefined,
    expect: step.kind === 'uses' && step.uses.expect !== undefined,
    repeat: step.kind === 'uses' && step.uses.repeat !== undefined,
    secrets: step.kind === 'uses' && step.uses.secrets !== undefined,
  }
  return Object.entries(features).flatMap(([key, isUsed]) => (isUsed ? [`${key} of step ${step.id}`] : []))
}
