import type { JsonObject } from '../json.ts'
import type { Plan } from '../plan/plan.ts'
import { isCoveredPath, placesIn, withoutPlaces } from './call-names.ts'
import { type PlacedStep, placedSteps } from './placed-steps.ts'

/**
 * What is changed of a run as it is carried on. A step is named by its id where only one has it, else by its path, such
 * as `hosts/look`; one item of a loop by its place: `hosts[3]/look`.
 */
export interface ResumeChanges {
  /** The runbook of the resumed run. @default the one of the run */
  readonly plan?: Plan
  /** Take the place of those it had; the others stay as they are. */
  readonly inputs?: JsonObject
  /** Runs this step and all after it in the plan again. Each completed write among them needs an override. */
  readonly from?: string
  /** What these have done counts as done, whatever their arguments are now. */
  readonly keep?: readonly string[]
  /** These are done again. In a loop: the items whose arguments are not among those that were done. */
  readonly repeat?: readonly string[]
  /** These count as skipped. */
  readonly skip?: readonly string[]
}

/** What people have said about steps, each by its path. It holds until the next changes, so it is kept with the run. */
export interface Overrides {
  readonly from?: string
  readonly keep: readonly string[]
  readonly repeat: readonly string[]
  readonly skip: readonly string[]
}

/** What has been said about a step, or about one item of it. */
export type Override =
  /** What was done counts, whatever it was done with. */
  | 'keep'
  /** Done again in any case. */
  | 'repeat'
  /** Done again where it was not done with these arguments. */
  | 'repeat-changed'
  /** Done anew where that changes nothing elsewhere. */
  | 'from'

/** Looks up what has been said about the steps of a plan. */
export interface StepOverrides {
  /** `path` is that of a step or of an item of it. */
  of(path: string): Override | undefined
  /** What has been said about a step, be it about one of its items only. `path` is without places in loops. */
  ofAnyItem(path: string): Override | undefined
  /**
   * The items of a step in a loop that are repeated by name; none: those that were not done with their arguments.
   * Undefined for a step that is in no loop.
   */
  itemsToRepeat(path: string): readonly string[] | undefined
  isSkipped(path: string): boolean
}

export function readOverrides(overrides: Overrides, plan: Plan): StepOverrides {
  const placed = placedSteps(plan)
  const isKept = isKeptBy(overrides)
  const inLoops = new Set(placed.flatMap(({ path, isInLoop }) => (isInLoop ? [path] : [])))
  const after = overrides.from === undefined ? new Set<string>() : from(overrides.from, placed)
  const anyItem = (names: readonly string[], path: string): boolean =>
    names.some((name) => isCoveredPath(withoutPlaces(name), path))
  return {
    ofAnyItem(path) {
      if (anyItem(overrides.keep, path)) return 'keep'
      if (anyItem(overrides.repeat, path)) return 'repeat'
      return after.has(path) ? 'from' : undefined
    },
    of(path) {
      if (isKept(path)) return 'keep'
      const repeats = overrides.repeat.filter((name) => isCoveredPath(name, path))
      // A step in a loop is named for all its items: those that were done with these arguments are done.
      if (repeats.some((name) => placesIn(name) === placesIn(path))) return 'repeat'
      if (repeats.length > 0) return 'repeat-changed'
      return after.has(withoutPlaces(path)) ? 'from' : undefined
    },
    itemsToRepeat: (path) =>
      inLoops.has(path)
        ? overrides.repeat.filter((name) => placesIn(name) > 0 && isCoveredPath(withoutPlaces(name), path))
        : undefined,
    isSkipped: (path) => overrides.skip.some((name) => isCoveredPath(name, path)),
  }
}

/** Says of a step or an item whether what the last resume with changes said keeps its results. */
export function isKeptBy(overrides: Overrides | undefined): (path: string) => boolean {
  return (path) => overrides?.keep.some((name) => isCoveredPath(name, path)) === true
}

/** The step and all that stands after it in the plan; of a step in a loop, for every item. */
function from(name: string, steps: readonly PlacedStep[]): ReadonlySet<string> {
  const first = steps.findIndex(({ path }) => path === withoutPlaces(name))
  return new Set(steps.slice(first).map(({ path }) => path))
}
