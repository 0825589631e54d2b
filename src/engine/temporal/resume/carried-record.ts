import type { RememberedResult } from '../../../core/host/ports.ts'
import type { ReopenedAttempt, ReopenedRecord } from '../../../core/record/reopen-failed.ts'
import type { StepRecord } from '../../../core/record/run-record.ts'
import type { Carried, CarriedAttempt } from '../carried.ts'

/** An attempt, and what is carried of it. */
interface HeldAttempt extends ReopenedAttempt {
  readonly held: CarriedAttempt
}

/** What a run takes along, while it is being changed. */
export interface CarriedRecord extends ReopenedRecord<HeldAttempt> {
  /** As it has become. */
  carried(): Carried
}

export function openCarriedRecord(before: Carried): CarriedRecord {
  const results = new Map(before.results)
  const timesAnew = new Set<string>()
  const takenBack = new Set<CarriedAttempt>()
  /** Forgotten are these places, and of the others all that is inside them, too. */
  const places = new Set<string>()
  const wholes = new Set<string>()
  const pending = new Set<string>()
  const byPlace = groupByPlace(before.attempts)
  const isForgotten = (path: string): boolean => places.has(path) || isInside(path, wholes)
  const kept = <T>(entries: readonly (readonly [string, T])[]): readonly (readonly [string, T])[] =>
    entries.filter(([path]) => !isForgotten(path))
  return {
    failedSteps: () =>
      before.results.flatMap(([path, result]) => (!isItem(path) && hasFailed(result) ? [path] : [])),
    failedItems: () =>
      before.results.flatMap(([path, result]) => (isItem(path) && isFailedItem(result) ? [path] : [])),
    attempts: (path) =>
      (byPlace.get(path) ?? []).filter((one) => !takenBack.has(one)).map((held) => ({ ...view(held), held })),
    takeBack: ({ held }) => void takenBack.add(held),
    forgetInside: (path) => void wholes.add(path),
    forgetPlace: (path) => void places.add(path),
    giveTime: (path) => void timesAnew.add(path),
    reset(path) {
      results.delete(path)
      pending.add(path)
    },
    carried: () => ({
      ...before,
      attempts: before.attempts.filter((one) => !takenBack.has(one)),
      results: [...results].filter(([path]) => !isInside(path, wholes)),
      marks: kept(before.marks),
      inputs: kept(before.inputs),
      worked: [
        ...kept(before.worked).filter(([path]) => !timesAnew.has(path)),
        ...[...timesAnew].map((path) => [path, 0] as const),
      ],
      questions: before.questions.filter(({ path }) => !isForgotten(path)),
      steps: before.steps.map((step) =>
        pending.has(step.path) || isInside(step.path, wholes) ? blank(step) : step,
      ),
    }),
  }
}

function view({ path, attempt, action, attempted }: CarriedAttempt): ReopenedAttempt {
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
  return result === 'begun' || result.status !== 'succeeded'
}

function groupByPlace(attempts: readonly CarriedAttempt[]): ReadonlyMap<string, readonly CarriedAttempt[]> {
  const groups = new Map<string, CarriedAttempt[]>()
  for (const attempt of attempts) {
    for (const place of placesAround(attempt.path)) {
      const group = groups.get(place)
      if (group) group.push(attempt)
      else groups.set(place, [attempt])
    }
  }
  return groups
}

function isInside(path: string, places: ReadonlySet<string>): boolean {
  return places.size > 0 && placesAround(path).some((place) => places.has(place))
}

/** The path itself, and all that it is inside of: of `a[3]/b` also `a[3]` and `a`. */
function placesAround(path: string): readonly string[] {
  const ends = [...path.matchAll(/[/[]/g)].map(({ index }) => index)
  return [...ends.map((end) => path.slice(0, end)), path]
}
