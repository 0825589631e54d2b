import type { Plan } from '../plan.ts'
import type { Words } from './amendment.ts'
import { covers, placesIn, withoutPlaces } from './call-names.ts'
import { type PlacedStep, placedSteps } from './placed-steps.ts'

/** What has been said about a step, or about one item of it. */
export type Word =
  /** What was done counts, whatever it was done with. */
  | 'keep'
  /** Done again in any case. */
  | 'repeat'
  /** Done again where it was not done with these arguments. */
  | 'repeat-changed'
  /** Done anew where that changes nothing elsewhere. */
  | 'from'

/** Looks up what has been said about the steps of a plan. */
export interface WordBook {
  /** `path` is that of a step or of an item of it. */
  of(path: string): Word | undefined
  /** What has been said about a step, be it about one of its items only. `path` is without places in loops. */
  ofAnyItem(path: string): Word | undefined
  /**
   * The items of a step in a loop that are repeated by name; none: those that were not done with their arguments.
   * Undefined for a step that is in no loop.
   */
  itemsToRepeat(path: string): readonly string[] | undefined
  isSkipped(path: string): boolean
}

export function readWords(words: Words, plan: Plan): WordBook {
  const placed = placedSteps(plan)
  const inLoops = new Set(placed.flatMap(({ path, isInLoop }) => (isInLoop ? [path] : [])))
  const after = words.from === undefined ? new Set<string>() : from(words.from, placed)
  const anyItem = (names: readonly string[], path: string): boolean =>
    names.some((name) => covers(withoutPlaces(name), path))
  return {
    ofAnyItem(path) {
      if (anyItem(words.keep, path)) return 'keep'
      if (anyItem(words.repeat, path)) return 'repeat'
      return after.has(path) ? 'from' : undefined
    },
    of(path) {
      if (words.keep.some((name) => covers(name, path))) return 'keep'
      const repeats = words.repeat.filter((name) => covers(name, path))
      // A step in a loop is named for all its items: those that were done with these arguments are done.
      if (repeats.some((name) => placesIn(name) === placesIn(path))) return 'repeat'
      if (repeats.length > 0) return 'repeat-changed'
      return after.has(withoutPlaces(path)) ? 'from' : undefined
    },
    itemsToRepeat: (path) =>
      inLoops.has(path)
        ? words.repeat.filter((name) => placesIn(name) > 0 && covers(withoutPlaces(name), path))
        : undefined,
    isSkipped: (path) => words.skip.some((name) => covers(name, path)),
  }
}

/** The step and all that stands after it in the plan; of a step in a loop, for every item. */
function from(name: string, steps: readonly PlacedStep[]): ReadonlySet<string> {
  const first = steps.findIndex(({ path }) => path === withoutPlaces(name))
  return new Set(steps.slice(first).map(({ path }) => path))
}
