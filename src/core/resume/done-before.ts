import { stepAddressOfCall } from '../record/step-address.ts'
import { withoutPlaces } from './call-names.ts'
import type { ReusableResult } from './reusable-results.ts'

/** What the record says about steps, by their paths without places in loops. */
export interface DoneBefore {
  /** How many calls with this action the step has made that no call has reused yet. */
  calls(path: string, action: string): number
  /** None of its calls failed and is tried again. */
  isWhole(path: string): boolean
  /** An approver has answered it, or the run has begun to wait there. */
  isReached(path: string): boolean
  wasSkipped(path: string): boolean
  /** As far as the record of its steps goes. */
  hasEndedWell(path: string): boolean
}

/** Paths of steps as the record of them had it until the run was changed. */
export interface StepsBefore {
  /** Those outside of loops that were skipped. */
  readonly skipped: Iterable<string>
  readonly endedWell: Iterable<string>
  /** The paths of answered questions and finished waits, without open questions. */
  readonly reached: Iterable<string>
}

/** What the record says that was done, once all of it has been set aside. */
export function gatherDone(
  reusables: readonly ReusableResult[],
  { skipped, endedWell, reached }: StepsBefore,
): DoneBefore {
  const counts = new Map<string, number>()
  const done = new Set(reusables.flatMap(({ outcome, path }) => (outcome === 'done' ? [path] : [])))
  const broken = new Set<string>()
  for (const { path, action, outcome } of reusables) {
    const step = withoutPlaces(stepAddressOfCall(path))
    const key = `${step} ${action}`
    // What may have been done needs an override as much as what was.
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
