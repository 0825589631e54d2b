import { placeOfCall } from '../record/place-of-call.ts'
import { callName, placesIn, withoutPlaces } from './call-names.ts'
import type { CallName, Seed } from './seed.ts'

/** What a shelf is filled with. */
export interface SeedShelfOptions<OneSeed extends Seed> {
  readonly seeds: readonly OneSeed[]
  /** What was taken over by calls with other arguments. */
  readonly kept: readonly Pick<CallName, 'action' | 'asked'>[]
  /** Whether a call with this path changed something elsewhere, in any runbook that the run has had. */
  readonly isWrite: (seed: OneSeed) => boolean
  /** Whether the runbook of today has a step with this path and action. */
  readonly hasStep: (path: string, action: string) => boolean
}

/** The seeds that nothing has taken over yet, by what is asked of them. */
export interface SeedShelf<OneSeed extends Seed> {
  /** The same call, carried out. */
  twins(call: CallName): readonly OneSeed[]
  /** What calls with this name have carried out with an action. */
  doneBy(name: string, action: string): readonly OneSeed[]
  /** Those of a step or an item, by its whole path. */
  at(stepPath: string): readonly OneSeed[]
  /** The writes of a step that were, or may have been, carried out, wherever its items stood. */
  writesOf(step: string): readonly OneSeed[]
  /** The same call, of which nobody knows whether it was carried out. */
  openTwin(call: CallName): OneSeed | undefined
  /** The same call, of a step that the runbook no longer has. */
  goneTwin(call: CallName): OneSeed | undefined
  /** What steps that the runbook no longer has have carried out with an action. */
  doneByGone(action: string): readonly OneSeed[]
  /** The same call of an item was tried and certainly not carried out, and nothing else was at its place. */
  isOnlyRefused(call: CallName): boolean
  /** The same call was carried out, and what it did was taken over by one with other arguments. */
  isTakenByOther(call: CallName): boolean
  remove(seed: Seed): void
  noteTaken(seed: Seed, by: CallName): void
}

export function createSeedShelf<OneSeed extends Seed>({
  seeds,
  kept,
  isWrite,
  hasStep,
}: SeedShelfOptions<OneSeed>): SeedShelf<OneSeed> {
  const byKey = groupBy(seeds, keyOf)
  const byName = groupBy(seeds, ({ path }) => callName(path))
  const byStep = groupBy(seeds, ({ path }) => withoutPlaces(placeOfCall(path)))
  const gone = new Set<number>()
  const taken = new Set(kept.map(deedOf))
  const isHere = ({ id }: Seed): boolean => !gone.has(id)
  const ofStep = (step: string): readonly OneSeed[] => (byStep.get(step) ?? []).filter(isHere)
  const isDone = ({ outcome }: Seed): boolean => outcome !== 'undone'
  const ofGone = seeds.filter(
    ({ path, action, outcome }) => outcome === 'done' && !hasStep(withoutPlaces(placeOfCall(path)), action),
  )
  const doneByGone = (action: string): readonly OneSeed[] =>
    ofGone.filter((seed) => seed.action === action && isHere(seed))
  return {
    twins: (call) => (byKey.get(keyOf(call)) ?? []).filter((seed) => seed.outcome === 'done' && isHere(seed)),
    doneBy: (name, action) =>
      (byName.get(name) ?? []).filter(
        (seed) => seed.outcome === 'done' && seed.action === action && isHere(seed),
      ),
    at: (stepPath) =>
      ofStep(withoutPlaces(stepPath)).filter((seed) => isDone(seed) && placeOfCall(seed.path) === stepPath),
    writesOf: (step) => ofStep(step).filter((seed) => isDone(seed) && isWrite(seed)),
    openTwin: (call) =>
      ofStep(withoutPlaces(placeOfCall(call.path))).find(
        (seed) => seed.outcome === 'open' && keyOf(seed) === keyOf(call),
      ),
    goneTwin: (call) => doneByGone(call.action).find(({ asked }) => asked === call.asked),
    doneByGone,
    isOnlyRefused(call) {
      if (placesIn(call.path) === 0) return false
      const all = byStep.get(withoutPlaces(placeOfCall(call.path))) ?? []
      const refused = all.filter((seed) => seed.outcome === 'undone' && keyOf(seed) === keyOf(call))
      const places = new Set(all.filter(isDone).map(({ path }) => path))
      return refused.some(({ path }) => !places.has(path))
    },
    isTakenByOther: (call) => taken.has(deedOf(call)),
    remove: ({ id }) => void gone.add(id),
    noteTaken(seed, by) {
      if (seed.asked !== by.asked) taken.add(deedOf(seed))
    },
  }
}

/** Equal for calls that do the same, whichever step makes them. */
function deedOf({ action, asked }: Pick<CallName, 'action' | 'asked'>): string {
  return `${action} ${asked}`
}

/** Equal for calls that do the same in the same step. */
function keyOf({ path, action, asked }: CallName): string {
  return `${callName(path)} ${action} ${asked}`
}

function groupBy<OneSeed extends Seed>(
  seeds: readonly OneSeed[],
  keyOfSeed: (seed: OneSeed) => string,
): ReadonlyMap<string, OneSeed[]> {
  const groups = new Map<string, OneSeed[]>()
  for (const seed of seeds) {
    const key = keyOfSeed(seed)
    const group = groups.get(key)
    if (group) group.push(seed)
    else groups.set(key, [seed])
  }
  return groups
}
