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
  if (!isBeside(step.path, from)) {
    const { list, within } = step
    if (list === 'catch' || list === 'finally' || within === undefined) {
      return `"${id}" stands in a ${list}, and is seen inside that only`
    }
    return `"${id}" stands inside "${within}": give that step outputs, and read them as steps.${within}.outputs`
  }
  return step.list === 'parallel' ? 'branches do not see one another' : `"${id}" comes later`
}

function isInside(path: JsonPath, holder: JsonPath): boolean {
  return holder.every((part, index) => path[index] === part)
}

/** Whether the step stands in a list that the place is inside of, too. */
function isBeside(step: JsonPath, from: JsonPath): boolean {
  return isInside(from, step.slice(0, -1))
}
