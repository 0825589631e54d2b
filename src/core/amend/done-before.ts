import { placeOfCall } from '../record/place-of-call.ts'
import { withoutPlaces } from './call-names.ts'
import type { Seed } from './seed.ts'

/** What the record says about steps, by their paths without places in loops. */
export interface DoneBefore {
  /** How many calls with this action it has carried out that nothing has taken over yet. */
  calls(path: string, action: string): number
  /** None of its calls failed and is tried again. */
  isWhole(path: string): boolean
  /** Somebody has answered it, or the run has come to it to wait. */
  isReached(path: string): boolean
  wasSkipped(path: string): boolean
  /** As far as the record of its steps goes. */
  hasEndedWell(path: string): boolean
}

/** Paths of steps as the record of them had it until the run was amended. */
export interface StepsBefore {
  /** Those outside of loops that were skipped. */
  readonly skipped: Iterable<string>
  readonly endedWell: Iterable<string>
  /** Where somebody has answered, or the run has waited; not where it still waits for an answer. */
  readonly reached: Iterable<string>
}

/** What the record says that was done, once all of it has been set aside. */
export function gatherDone(seeds: readonly Seed[], { skipped, endedWell, reached }: StepsBefore): DoneBefore {
  const counts = new Map<string, number>()
  const done = new Set(seeds.flatMap(({ outcome, path }) => (outcome === 'done' ? [path] : [])))
  const broken = new Set<string>()
  for (const { path, action, outcome } of seeds) {
    const step = withoutPlaces(placeOfCall(path))
    const key = `${step} ${action}`
    // What may have been done needs a word as much as what was.
    if (outcome !== 'undone') counts.set(key, (counts.get(key) ?? 0) + 1)
    if (outcome !== 'done' && !done.has(path)) broken.add(step)
  }
  const names = (paths: Iterable<string>): ReadonlySet<string> => new Set([...paths].map(withoutPlaces))
  const [known, ended, came] = [names(skipped), names(endedWell), names(reached)]
  return {
    calls: (path, action) => counts.get(`${path} ${action}`) ?? 0,
    isWhole: (path) => !broken.has(path),
    isReached: (path) => came.has(path),
    wasSkipped: (path) => known.has(path),
    hasEndedWell: (path) => ended.has(path),
  }
}
