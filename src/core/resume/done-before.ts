import { counted } from '../group.ts'
import { stepAddressOfCall, stepPathOf } from '../plan/step-address.ts'
import { withoutPlaces } from './call-names.ts'
import type { LeftBehind, StepBefore } from './left-behind.ts'
import { gatherLoops } from './loop-items.ts'
import type { CallName } from './reusable-results.ts'

/** What the record says about steps, by their paths without places in loops. */
export interface DoneBefore {
  /** How many calls with this action the step has made that no call has reused yet. */
  calls(path: string, action: string): number
  /** How many calls of a clean-up count no more, since the next ending makes them again. */
  callsAgain(path: string, action: string): number
  /** None of its calls failed and is tried again. */
  isWhole(path: string): boolean
  /** An approver has answered it, or the run has begun to wait there. */
  isReached(path: string): boolean
  wasSkipped(path: string): boolean
  /** As far as the record of its steps goes. */
  hasEndedWell(path: string): boolean
  hasBegun(path: string): boolean
  /** A resume without changes does not come back to it, since it or a step around it has ended. */
  isOver(path: string): boolean
  /** How much of a step counts that has more calls to make, such as `2 of 3 items reused`. Undefined: all of it. */
  countsOf(path: string, action: string): string | undefined
  /** Its outcome was unknown, and a person has resolved it. */
  isDecided(path: string): boolean
  /** Why a step is tried again. */
  whyTried(path: string): string | undefined
}

/** What the record says that was done. */
export function gatherDone(left: LeftBehind): DoneBefore {
  const { reusables, steps, reached, madeAnew, plain } = left
  const done = new Set(reusables.flatMap(({ outcome, path }) => (outcome === 'done' ? [path] : [])))
  const broken = new Set<string>()
  const open = new Set<string>()
  const inParts = new Set<string>()
  for (const { path, outcome } of reusables) {
    const step = stepPathOf(path)
    if (stepAddressOfCall(path) !== path) inParts.add(step)
    if (outcome !== 'done' && !done.has(path)) broken.add(step)
    if (outcome === 'open') open.add(step)
  }
  // What may have been done needs an override as much as what was.
  const counts = countCalls(reusables.filter(({ outcome }) => outcome !== 'undone'))
  const countsAgain = countCalls(madeAnew)
  const pathsOf = (isMeant: (step: StepBefore) => boolean): ReadonlySet<string> =>
    new Set(steps.flatMap((step) => (isMeant(step) ? [withoutPlaces(step.path)] : [])))
  const isOutside = ({ path }: StepBefore): boolean => !path.includes('[')
  const ended = pathsOf(({ status }) => status === 'succeeded')
  const skipped = pathsOf((step) => step.status === 'skipped' && isOutside(step))
  const begun = pathsOf(({ status }) => status !== 'pending')
  const over = plain ? pathsOf((step) => hasEnded(step) && isOutside(step)) : new Set<string>()
  const unknown = pathsOf(({ status }) => status === 'unknown')
  const isDecided = (path: string): boolean => unknown.has(path) && !open.has(path)
  const failures = new Map(
    steps.flatMap((step) => {
      const { path, error } = step
      return error && !hasEnded(step) ? [[withoutPlaces(path), error.code]] : []
    }),
  )
  const came = new Set([...reached].map(withoutPlaces))
  const loops = gatherLoops(left, (path) => over.has(path))
  const calls = (path: string, action: string): number => counts.get(`${path} ${action}`) ?? 0
  return {
    calls,
    callsAgain: (path, action) => countsAgain.get(`${path} ${action}`) ?? 0,
    isWhole: (path) => !broken.has(path),
    isReached: (path) => came.has(path),
    wasSkipped: (path) => skipped.has(path),
    hasEndedWell: (path) => ended.has(path),
    hasBegun: (path) => begun.has(path),
    isOver: (path) => around(path).some((one) => over.has(one)),
    countsOf(path, action) {
      const inLoop = loops.countsOf(path)
      if (inLoop !== undefined) return inLoop === 'all' ? undefined : inLoop
      const hasMore = broken.has(path) || (inParts.has(path) && !ended.has(path))
      const count = calls(path, action) - (open.has(path) ? 1 : 0)
      return hasMore ? (count > 0 ? `${count} ${count === 1 ? 'call' : 'calls'} reused` : '') : undefined
    },
    isDecided,
    whyTried(path) {
      if (open.has(path)) return 'its outcome is unknown'
      if (isDecided(path)) return 'the decision is recorded'
      const code = failures.get(path)
      return code && `tried again: ${code}`
    },
  }
}

function countCalls(calls: readonly Pick<CallName, 'path' | 'action'>[]): ReadonlyMap<string, number> {
  return counted(calls.map(({ path, action }) => `${stepPathOf(path)} ${action}`))
}

/** Whether the run has come past the step. */
function hasEnded({ status, is_warning: isWarning }: StepBefore): boolean {
  return status === 'succeeded' || status === 'skipped' || isWarning === true
}

/** A path, and those of the steps around it. */
function around(path: string): readonly string[] {
  const parts = path.split('/')
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
}
