import type { RunStatus } from '../../../core/events.ts'
import { grouped } from '../../../core/group.ts'
import type { RememberedResult } from '../../../core/host/index.ts'
import { asReplaced } from '../../../core/people/index.ts'
import { type Plan, stepAddressOfCall } from '../../../core/plan/index.ts'
import {
  type IsKept,
  type ReopenedAttempt,
  type ReopenedRecord,
  reopenFailed,
  type StepRecord,
} from '../../../core/record/index.ts'
import { isKeptBy } from '../../../core/resume/index.ts'
import type { ContinuedAttempt, ContinuedChanges, ContinuedState } from '../continued-state.ts'

/** An attempt, and its entry in the continued state. */
interface HeldAttempt extends ReopenedAttempt {
  readonly held: ContinuedAttempt
}

/** The continued state while failed steps are reopened. */
export interface ContinuedRecord extends ReopenedRecord<HeldAttempt> {
  /** Whether the results of a path stay, though the run comes back to it. */
  readonly isKept: IsKept
  /** The state after that. */
  continued(): ContinuedState
}

export function openContinuedRecord(before: ContinuedState): ContinuedRecord {
  const results = new Map(before.results)
  const timesAnew = new Set<string>()
  const takenBack = new Set<ContinuedAttempt>()
  /** The paths to forget, and those to forget with all that is inside of them. */
  const places = new Set<string>()
  const wholes = new Set<string>()
  const pending = new Set<string>()
  const kept = new Set<string>()
  const staying: IsKept[] = []
  const isKept: IsKept = (path) => staying.some((stays) => stays(path))
  const byPlace = grouped(
    before.attempts.flatMap((one) => placesAround(one.path).map((place) => [place, one] as const)),
  )
  const isForgotten = (path: string): boolean => places.has(path) || isInside(path, wholes)
  const isOpenAgain = (path: string): boolean => !kept.has(path) && isInside(path, wholes)
  const stillKnown = <T>(entries: readonly (readonly [string, T])[]): readonly (readonly [string, T])[] =>
    entries.filter(([path]) => !isForgotten(path))
  return {
    failedSteps: () =>
      before.results.flatMap(([path, result]) => (!isItem(path) && hasFailed(result) ? [path] : [])),
    failedItems: () =>
      before.results.flatMap(([path, result]) => (isItem(path) && isFailedItem(result) ? [path] : [])),
    attempts: (path) =>
      (byPlace.get(path) ?? []).filter((one) => !takenBack.has(one)).map((held) => ({ ...view(held), held })),
    takeBack: ({ held }) => void takenBack.add(held),
    // Its result stays, so that the run does not come back to it.
    keep: () => {},
    forgetInside(path, stays) {
      wholes.add(path)
      const staysHere: IsKept = (one) => isInside(one, new Set([path])) && stays(one)
      staying.push(staysHere)
      for (const [one, result] of before.results)
        if (typeof result === 'object' && result.status === 'succeeded' && staysHere(one)) kept.add(one)
    },
    isKept,
    forgetPlace: (path) => void places.add(path),
    giveTime: (path) => void timesAnew.add(path),
    reset(path) {
      results.delete(path)
      pending.add(path)
    },
    continued: () => ({
      ...before,
      attempts: before.attempts.filter((one) => !takenBack.has(one)),
      results: [...results].filter(([path]) => !isOpenAgain(path)),
      ...(before.changed
        ? { changed: untaken(before.changed, (path) => isKept(path) && !kept.has(path)) }
        : {}),
      firstReached: stillKnown(before.firstReached),
      inputs: stillKnown(before.inputs),
      worked: [
        ...stillKnown(before.worked).filter(([path]) => !timesAnew.has(path)),
        ...[...timesAnew].map((path) => [path, 0] as const),
      ],
      questions: before.questions.map((one) => (isForgotten(one.path) ? asReplaced(one) : one)),
      steps: before.steps.map((step) =>
        pending.has(step.path) || isOpenAgain(step.path) ? blank(step) : step,
      ),
    }),
  }
}

/** Of a loop that has ended no item has a result: the call of one that is kept takes its result once more. */
function untaken(changed: ContinuedChanges, isAgain: IsKept): ContinuedChanges {
  return { ...changed, taken: changed.taken.filter(({ path }) => !isAgain(stepAddressOfCall(path))) }
}

function view({ path, attempt, action, attempted }: ContinuedAttempt): ReopenedAttempt {
  const call = { path, attempt, action, status: attempted.status }
  return attempted.status === 'failed' ? { ...call, error: attempted.error } : call
}

function blank({ path, name, action }: StepRecord): StepRecord {
  return { path, ...(name === undefined ? {} : { name }), action, status: 'pending', attempts: 0 }
}

function isItem(path: string): boolean {
  return path.endsWith(']')
}

function hasFailed(result: RememberedResult | 'begun'): boolean {
  if (result === 'begun' || result.isWarning) return false
  return result.status === 'failed' || result.status === 'cancelled'
}

function isFailedItem(result: RememberedResult | 'begun'): boolean {
  return result === 'begun' || (result.status !== 'succeeded' && result.status !== 'skipped')
}

function isInside(path: string, places: ReadonlySet<string>): boolean {
  return places.size > 0 && placesAround(path).some((place) => places.has(place))
}

/** A path, and the paths around it: of `a[3]/b` also `a[3]` and `a`. */
function placesAround(path: string): readonly string[] {
  const ends = [...path.matchAll(/[/[]/g)].map(({ index }) => index)
  return [...ends.map((end) => path.slice(0, end)), path]
}

/** The state for the resume of a run that ended with this status. */
export function reopenContinued(plan: Plan, continued: ContinuedState, status: RunStatus): ContinuedState {
  const record = openContinuedRecord(continued)
  if (status === 'failed') reopenFailed(plan, record, isKeptBy(continued.changed?.overrides))
  for (const [path, result] of continued.results) {
    // A resolved call is replayed with its decision. Steps that its unknown outcome had cancelled can run now.
    const isOpen = typeof result === 'object' && isToRun(result.status, status)
    if (isOpen) record.reset(path)
  }
  return record.continued()
}

function isToRun(step: string, run: RunStatus): boolean {
  return step === 'unknown' || (step === 'cancelled' && run === 'unknown')
}
