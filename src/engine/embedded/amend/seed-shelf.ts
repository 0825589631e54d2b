import { placeOfCall } from '../../../core/record/place-of-call.ts'
import type { AttemptIntent } from '../journal.ts'
import { callName, placesIn, withoutPlaces } from './call-names.ts'
import type { Seed } from './seed-rows.ts'

/** What a shelf is filled with. */
export interface SeedShelfOptions {
  readonly seeds: readonly Seed[]
  /** Those that were taken over by calls with other arguments. */
  readonly kept: readonly Seed[]
  /** Whether a call with this path changed something elsewhere, in any runbook that the run has had. */
  readonly isWrite: (seed: Seed) => boolean
  /** Whether the runbook of today has a step with this path and action. */
  readonly hasStep: (path: string, action: string) => boolean
}

/** The seeds that nothing has taken over yet, by what is asked of them. */
export interface SeedShelf {
  /** The same call, carried out. */
  twins(intent: AttemptIntent): readonly Seed[]
  /** What calls with this name have carried out with an action. */
  doneBy(name: string, action: string): readonly Seed[]
  /** Those of a step or an item, by its whole path. */
  at(stepPath: string): readonly Seed[]
  /** The writes of a step that were, or may have been, carried out, wherever its items stood. */
  writesOf(step: string): readonly Seed[]
  /** The same call, of which nobody knows whether it was carried out. */
  openTwin(intent: AttemptIntent): Seed | undefined
  /** The same call, of a step that the runbook no longer has. */
  goneTwin(intent: AttemptIntent): Seed | undefined
  /** What steps that the runbook no longer has have carried out with an action. */
  doneByGone(action: string): readonly Seed[]
  /** The same call of an item was tried and certainly not carried out, and nothing else was at its place. */
  isOnlyRefused(intent: AttemptIntent): boolean
  /** The same call was carried out, and what it did was taken over by one with other arguments. */
  isTakenByOther(intent: AttemptIntent): boolean
  remove(seed: Seed): void
  noteTaken(seed: Seed, by: AttemptIntent): void
}

export function createSeedShelf({ seeds, kept, isWrite, hasStep }: SeedShelfOptions): SeedShelf {
  const byKey = groupBy(seeds, keyOf)
  const byName = groupBy(seeds, ({ path }) => callName(path))
  const byStep = groupBy(seeds, ({ path }) => withoutPlaces(placeOfCall(path)))
  const gone = new Set<number>()
  const taken = new Set(kept.map(deedOf))
  const isHere = ({ id }: Seed): boolean => !gone.has(id)
  const ofStep = (step: string): readonly Seed[] => (byStep.get(step) ?? []).filter(isHere)
  const isDone = ({ outcome }: Seed): boolean => outcome !== 'undone'
  const ofGone = seeds.filter(
    ({ path, action, outcome }) => outcome === 'done' && !hasStep(withoutPlaces(placeOfCall(path)), action),
  )
  const doneByGone = (action: string): readonly Seed[] =>
    ofGone.filter((seed) => seed.action === action && isHere(seed))
  return {
    twins: (intent) =>
      (byKey.get(keyOf(intent)) ?? []).filter((seed) => seed.outcome === 'done' && isHere(seed)),
    doneBy: (name, action) =>
      (byName.get(name) ?? []).filter(
        (seed) => seed.outcome === 'done' && seed.action === action && isHere(seed),
      ),
    at: (stepPath) =>
      ofStep(withoutPlaces(stepPath)).filter((seed) => isDone(seed) && placeOfCall(seed.path) === stepPath),
    writesOf: (step) => ofStep(step).filter((seed) => isDone(seed) && isWrite(seed)),
    openTwin: (intent) =>
      ofStep(withoutPlaces(placeOfCall(intent.path))).find(
        (seed) => seed.outcome === 'open' && keyOf(seed) === keyOf(intent),
      ),
    goneTwin: (intent) =>
      doneByGone(intent.action).find(({ argumentHash }) => argumentHash === intent.argumentHash),
    doneByGone,
    isOnlyRefused(intent) {
      if (placesIn(intent.path) === 0) return false
      const all = byStep.get(withoutPlaces(placeOfCall(intent.path))) ?? []
      const refused = all.filter((seed) => seed.outcome === 'undone' && keyOf(seed) === keyOf(intent))
      const places = new Set(all.filter(isDone).map(({ path }) => path))
      return refused.some(({ path }) => !places.has(path))
    },
    isTakenByOther: (intent) => taken.has(deedOf(intent)),
    remove: ({ id }) => void gone.add(id),
    noteTaken(seed, by) {
      if (seed.argumentHash !== by.argumentHash) taken.add(deedOf(seed))
    },
  }
}

/** Equal for calls that do the same, whichever step makes them. */
function deedOf({ action, argumentHash }: Pick<Seed, 'action' | 'argumentHash'>): string {
  return `${action} ${argumentHash}`
}

/** Equal for calls that do the same in the same step. */
function keyOf({ path, action, argumentHash }: Pick<Seed, 'path' | 'action' | 'argumentHash'>): string {
  return `${callName(path)} ${action} ${argumentHash}`
}

function groupBy(seeds: readonly Seed[], keyOfSeed: (seed: Seed) => string): ReadonlyMap<string, Seed[]> {
  const groups = new Map<string, Seed[]>()
  for (const seed of seeds) {
    const key = keyOfSeed(seed)
    const group = groups.get(key)
    if (group) group.push(seed)
    else groups.set(key, [seed])
  }
  return groups
}
