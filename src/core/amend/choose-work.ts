import type { CheckedInputs } from '../host.ts'
import type { JsonObject } from '../json.ts'
import type { Plan } from '../plan.ts'
import type { Amendment, Words } from './amendment.ts'
import { overlap, withoutPlaces } from './call-names.ts'
import { findStep } from './find-step.ts'
import { type PlacedStep, placedSteps } from './placed-steps.ts'
import { refusedChange } from './refused-change.ts'

/** A run as it stands before it is amended. */
export interface AmendedRun {
  readonly id: string
  readonly plan: Plan
  readonly inputs: JsonObject
}

/** Fills the defaults of a runbook's inputs in, and says what is wrong with them. */
export type CheckInputs = (plan: Plan, given: JsonObject) => CheckedInputs

/** What a run goes on with, once it has been amended. */
export interface ChosenWork {
  readonly plan: Plan
  readonly inputs: JsonObject
  /** Those of this amendment, and of the one before it what still holds. */
  readonly words: Words
  /** What this amendment itself says of steps to keep. */
  readonly newlyKept: readonly string[]
}

/** Finds what an amendment stands for. Throws `InvalidInput` for one that does not fit the run. */
export function chooseWork(
  run: AmendedRun,
  amendment: Amendment,
  earlier: Words | undefined,
  checkInputs: CheckInputs,
): ChosenWork {
  const { plan = run.plan } = amendment
  if (plan.name !== run.plan.name) {
    throw refusedChange(`${run.id} is a run of the runbook ${run.plan.name}, and not of ${plan.name}`)
  }
  const steps = placedSteps(plan)
  const words = chooseWords(steps, amendment)
  return {
    plan,
    inputs: chooseInputs(run, plan, amendment, checkInputs),
    words: earlier ? withEarlier(words, earlier, steps) : words,
    newlyKept: words.keep,
  }
}

/**
 * What is skipped or kept stays so until something else is said of it. To repeat is done once: a second amendment must
 * not do it a second time.
 */
function withEarlier(words: Words, earlier: Words, steps: readonly PlacedStep[]): Words {
  const { from, keep, repeat, skip } = words
  const named = [...keep, ...repeat, ...skip, ...(from === undefined ? [] : [from])]
  const holds = (name: string): boolean =>
    steps.some(({ path }) => path === withoutPlaces(name)) && !named.some((one) => overlap(name, one))
  return {
    ...words,
    keep: [...keep, ...earlier.keep.filter(holds)],
    skip: [...skip, ...earlier.skip.filter(holds)],
  }
}

function chooseInputs(
  run: AmendedRun,
  plan: Plan,
  { inputs: given = {} }: Amendment,
  checkInputs: CheckInputs,
): JsonObject {
  const [was, is] = [namesOf(run.plan), namesOf(plan)]
  // An input that the runbook no longer takes is given up with it.
  const kept = Object.entries(run.inputs).filter(([name]) => !was.has(name) || is.has(name))
  const { inputs, problems } = checkInputs(plan, { ...Object.fromEntries(kept), ...given })
  if (problems.length === 0) return inputs
  const list = problems.map(({ message }) => message).join('; ')
  throw refusedChange(`the inputs do not fit ${plan.name}: ${list}`)
}

function namesOf({ inputs }: Plan): ReadonlySet<string> {
  return new Set(Object.keys((inputs?.['properties'] as object | undefined) ?? {}))
}

function chooseWords(
  steps: readonly PlacedStep[],
  { from, keep = [], repeat = [], skip = [] }: Amendment,
): Words {
  const find = (given: readonly string[]): readonly string[] => [
    ...new Set(given.map((name) => findStep(name, steps))),
  ]
  const words: Words = {
    ...(from === undefined ? {} : { from: findStep(from, steps) }),
    keep: find(keep),
    repeat: find(repeat),
    skip: find(skip),
  }
  refuseBoth(words.keep, words.repeat, 'kept and repeated')
  refuseBoth(words.keep, words.skip, 'kept and skipped')
  refuseBoth(words.repeat, words.skip, 'repeated and skipped')
  for (const name of [...words.skip, ...(words.from === undefined ? [] : [words.from])]) {
    if (name !== withoutPlaces(name)) {
      throw refusedChange(`${name} is one item of a loop; only a whole step is skipped, or begun from`)
    }
  }
  return words
}

function refuseBoth(some: readonly string[], others: readonly string[], how: string): void {
  for (const name of some) {
    const other = others.find((one) => overlap(name, one))
    if (other === undefined) continue
    const who = other === name ? `${name} cannot be both` : `${name} and ${other} overlap: they cannot be`
    throw refusedChange(`${who} ${how}`)
  }
}
