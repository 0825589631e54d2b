import type { StepRecord } from '../../../engine/embedded/index.ts'
import { placesOf } from '../follow/places.ts'

/** The steps with those inside a step right after it; beside one another they keep their order. */
export function treeOrder(steps: readonly StepRecord[]): readonly StepRecord[] {
  const paths = new Set(steps.map(({ path }) => path))
  const insideOf = new Map<string, StepRecord[]>()
  for (const step of steps) {
    const outer = placesOf(step.path).findLast((place) => place !== step.path && paths.has(place)) ?? ''
    const beside = insideOf.get(outer)
    if (beside) beside.push(step)
    else insideOf.set(outer, [step])
  }
  const withInner = (step: StepRecord): readonly StepRecord[] => [
    step,
    ...(insideOf.get(step.path) ?? []).flatMap(withInner),
  ]
  return (insideOf.get('') ?? []).flatMap(withInner)
}
