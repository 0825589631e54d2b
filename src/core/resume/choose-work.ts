import type { CheckedChildInputs } from '../host/host.ts'
import type { JsonObject } from '../json.ts'
import type { Plan } from '../plan/plan.ts'
import { isLoop } from '../plan/plan-walk.ts'
import { suggest } from '../text/nearest.ts'
import { overlap, withoutPlaces } from './call-names.ts'
import { type PlacedStep, placedSteps } from './placed-steps.ts'
import { refusedChange } from './refuse-resume.ts'
import type { Overrides, ResumeChanges } from './resume-changes.ts'

/** A run before its changes. */
export interface ChangedRun {
  readonly id: string
  readonly plan: Plan
  readonly inputs: JsonObject
}

/** Fills the defaults of a runbook's inputs in, and says what is wrong with them. */
export type CheckInputs = (plan: Plan, given: JsonObject) => CheckedChildInputs

/** The plan and inputs of a run after its changes. */
export interface ChosenWork {
  readonly plan: Plan
  readonly inputs: JsonObject
  /** Those of this changes, and of the one before it what still holds. */
  readonly overrides: Overrides
  /** What this changes itself says of steps to keep. */
  readonly newlyKept: readonly string[]
}

/** Finds what the changes stand for. Throws `InvalidInput` for one that does not fit the run. */
export function chooseWork(
  run: ChangedRun,
  changes: ResumeChanges,
  earlier: Overrides | undefined,
  checkInputs: CheckInputs,
): ChosenWork {
  const { plan = run.plan } = changes
  if (plan.name !== run.plan.name)
    throw refusedChange(`${run.id} is a run of the runbook ${run.plan.name}, and not of ${plan.name}`)
  const steps = placedSteps(plan)
  const overrides = chooseOverrides(steps, changes)
  return {
    plan,
    inputs: chooseInputs(run, plan, changes, checkInputs),
    overrides: earlier ? withEarlier(overrides, earlier, steps) : overrides,
    newlyKept: overrides.keep,
  }
}

/**
 * What is skipped or kept stays so until something else is said of it. To repeat is done once: a second changes must
 * not do it a second time.
 */
function withEarlier(overrides: Overrides, earlier: Overrides, steps: readonly PlacedStep[]): Overrides {
  const { from, keep, repeat, skip } = overrides
  const named = [...keep, ...repeat, ...skip, ...(from === undefined ? [] : [from])]
  const holds = (name: string): boolean =>
    steps.some(({ path }) => path === withoutPlaces(name)) && !named.some((one) => overlap(name, one))
  return {
    ...overrides,
    keep: [...keep, ...earlier.keep.filter(holds)],
    skip: [...skip, ...earlier.skip.filter(holds)],
  }
}

function chooseInputs(
  run: ChangedRun,
  plan: Plan,
  { inputs: given = {} }: ResumeChanges,
  checkInputs: CheckInputs,
): JsonObject {
  const [was, is] = [namesOf(run.plan), namesOf(plan)]
  // The resume drops an input that the runbook no longer takes.
  const kept = Object.entries(run.inputs).filter(([name]) => !was.has(name) || is.has(name))
  const { inputs, problems } = checkInputs(plan, { ...Object.fromEntries(kept), ...given })
  if (problems.length === 0) return inputs
  const list = problems.map(({ message }) => message).join('; ')
  throw refusedChange(`the inputs do not fit ${plan.name}: ${list}`)
}

function namesOf({ inputs }: Plan): ReadonlySet<string> {
  return new Set(Object.keys((inputs?.['properties'] as object | undefined) ?? {}))
}

function chooseOverrides(
  steps: readonly PlacedStep[],
  { from, keep = [], repeat = [], skip = [] }: ResumeChanges,
): Overrides {
  const find = (given: readonly string[]): readonly string[] => [
    ...new Set(given.map((name) => findStep(name, steps))),
  ]
  const overrides: Overrides = {
    ...(from === undefined ? {} : { from: findStep(from, steps) }),
    keep: find(keep),
    repeat: find(repeat),
    skip: find(skip),
  }
  refuseBoth(overrides.keep, overrides.repeat, 'kept and repeated')
  refuseBoth(overrides.keep, overrides.skip, 'kept and skipped')
  refuseBoth(overrides.repeat, overrides.skip, 'repeated and skipped')
  for (const name of [...overrides.skip, ...(overrides.from === undefined ? [] : [overrides.from])]) {
    if (name !== withoutPlaces(name))
      throw refusedChange(`${name} is one item of a loop; only a whole step is skipped, or begun from`)
  }
  return overrides
}

function refuseBoth(some: readonly string[], others: readonly string[], how: string): void {
  for (const name of some) {
    const other = others.find((one) => overlap(name, one))
    if (other === undefined) continue
    const who = other === name ? `${name} cannot be both` : `${name} and ${other} overlap: they cannot be`
    throw refusedChange(`${who} ${how}`)
  }
}

/** How many steps with the same id a message names. */
const named = 5

/** The path of the step that is meant: by its path, or by its id where only one has it. */
function findStep(given: string, steps: readonly PlacedStep[]): string {
  const bare = withoutPlaces(given)
  const exact = steps.find(({ path }) => path === bare)
  if (exact) return checkPlaces(given, steps)
  const sameId = bare.includes('/') ? [] : steps.filter(({ step }) => step.id === bare)
  const [only, ...others] = sameId
  if (only && others.length === 0)
    return checkPlaces(only.path.slice(0, only.path.length - bare.length) + given, steps)
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
    const step = steps.find((one) => one.path === around)?.step
    if (part !== bare && !(step && isLoop(step)))
      throw refusedChange(`${around} is no loop: it has no item ${part}`)
  }
  return path
}
