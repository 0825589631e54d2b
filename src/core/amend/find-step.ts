import { suggest } from '../nearest.ts'
import { withoutPlaces } from './call-names.ts'
import type { PlacedStep } from './placed-steps.ts'
import { refusedChange } from './refused-change.ts'

/** So many steps with one id are named. */
const named = 5

/** The path of the step that is meant: by its path, or by its id where only one has it. */
export function findStep(given: string, steps: readonly PlacedStep[]): string {
  const bare = withoutPlaces(given)
  const exact = steps.find(({ path }) => path === bare)
  if (exact) return checkPlaces(given, steps)
  const sameId = bare.includes('/') ? [] : steps.filter(({ step }) => step.id === bare)
  const [only, ...others] = sameId
  if (only && others.length === 0) {
    return checkPlaces(only.path.slice(0, only.path.length - bare.length) + given, steps)
  }
  if (only) {
    const list = sameId.slice(0, named).map(({ path }) => path)
    throw refusedChange(`several steps are called ${bare}, say which: ${list.join(', ')}`)
  }
  const names = new Set(steps.flatMap(({ path, step }) => [path, step.id]))
  throw refusedChange(`there is no step ${JSON.stringify(given)}; ${suggest(given, [...names])}`)
}

/** A place can only be said in a loop. */
function checkPlaces(path: string, steps: readonly PlacedStep[]): string {
  let around = ''
  for (const part of path.split('/')) {
    const bare = withoutPlaces(part)
    around = around === '' ? bare : `${around}/${bare}`
    const isLoop = steps.find((one) => one.path === around)?.step.forEach !== undefined
    if (part !== bare && !isLoop) throw refusedChange(`${around} is no loop: it has no item ${part}`)
  }
  return path
}
