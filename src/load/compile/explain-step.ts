import type { JsonPath } from '../json-path.ts'
import type { StepIndex } from './step-index.ts'

/** Why a step that is somewhere in the runbook cannot be seen from a place; undefined where there is none of this id. */
export function explainStep(index: StepIndex, id: string, from: JsonPath): string | undefined {
  const step = index.get(id)
  if (!step) return undefined
  if (isInside(from, step.path)) {
    return from[step.path.length] === 'steps' || from[step.path.length] === 'parallel'
      ? `this is inside the step "${id}"`
      : 'a step does not see itself; in expect, repeat and outputs the name is "outputs"'
  }
  const isOutside = step.within !== undefined && !isBeside(step.path, from)
  if (isOutside) {
    return `"${id}" stands inside "${step.within}": give that step outputs, and read them as steps.${step.within}.outputs`
  }
  return step.path.at(-2) === 'parallel' && isBeside(step.path, from)
    ? 'branches do not see one another'
    : `"${id}" comes later`
}

function isInside(path: JsonPath, holder: JsonPath): boolean {
  return holder.every((part, index) => path[index] === part)
}

/** Whether the step stands in a list that the place is inside of, too. */
function isBeside(step: JsonPath, from: JsonPath): boolean {
  return isInside(from, step.slice(0, -1))
}
