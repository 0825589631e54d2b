import type { Action } from '../../../actions/action.ts'
import type { Safety } from '../../../core/action.ts'
import type { Attempted } from '../../../core/host.ts'
import { isJsonObject } from '../../../core/json.ts'
import { RunbookError } from '../../../core/run-error.ts'
import { placeOfCall } from '../../attempt/place-of-call.ts'
import type { RunArtifacts } from '../artifacts.ts'
import type { CommitQueue } from '../commit-queue.ts'
import type { AttemptIntent, Journal } from '../journal.ts'
import { callName, placesIn, withoutPlaces } from './call-names.ts'
import type { Word, WordBook } from './read-words.ts'
import type { Seed, SeedOutcome, SeedRows } from './seed-rows.ts'

/** A call that the journal of this generation knows nothing of. */
export interface NewCall {
  readonly intent: AttemptIntent
  readonly action: Action
  readonly safety: Safety
}

/** What becomes of it: what was done before counts for it, or it is made. */
export type Taken =
  | { readonly kind: 'reused'; readonly attempted: Attempted; readonly requestId?: string }
  /** `isInDoubt`: the same call was made before the amendment, and nobody knows what came of it. */
  | { readonly kind: 'to-make'; readonly isInDoubt: boolean }

/** What was done before a run was amended, for its calls to take over. */
export interface SeedPool {
  /**
   * Decides about a call; what it takes over is on disk when this resolves. Rejects with `PlanDrift`, which ends the run,
   * where a write was carried out with other arguments and nobody has said what is to become of it.
   */
  take(call: NewCall): Promise<Taken>
}

/** What a pool works with. */
export interface SeedPoolOptions {
  readonly seeds: readonly Seed[]
  /** Those that were taken over by calls with other arguments. */
  readonly kept: readonly Seed[]
  readonly rows: SeedRows
  readonly words: WordBook
  /** Whether a call with this path changed something elsewhere, in any runbook that the run has had. */
  readonly isWrite: (seed: Seed) => boolean
  /** Whether the runbook of today has a step with this path and action. */
  readonly hasStep: (path: string, action: string) => boolean
  readonly journal: Journal
  readonly queue: CommitQueue
  readonly artifacts: RunArtifacts
}

export function createSeedPool(options: SeedPoolOptions): SeedPool {
  const { rows, words, journal, queue, artifacts } = options
  const shelf = createShelf(options)

  /** What a call may take over; of those with its arguments the one at its own place first. */
  const choose = ({ intent }: NewCall, word: Word | undefined): Seed | undefined => {
    const here = ({ path }: Seed): boolean => path === intent.path
    const same = shelf.twins(intent)
    const exact = same.find(here) ?? same[0]
    if (exact || word !== 'keep') return exact
    const done = shelf.doneBy(callName(intent.path), intent.action)
    // A step that has another id now, or stands elsewhere, can be kept all the same.
    return done.find(here) ?? done[0] ?? shelf.goneTwin(intent) ?? shelf.doneByGone(intent.action)[0]
  }
  /** A file that another call has taken since is no longer what the seed made. */
  const hasItsFile = (
    { path }: Seed,
    { output }: SeedOutcome,
    { intent, action, safety }: NewCall,
  ): boolean => {
    const file = isJsonObject(output) ? output['path'] : undefined
    if (typeof file !== 'string') return true
    const isFree = artifacts.takeOver(file, placeOfCall(path), placeOfCall(intent.path))
    return isFree || (safety !== 'read' && !action.isLocal)
  }
  const isCovered = (word: Word | undefined, { action, safety }: NewCall): boolean =>
    word === 'repeat' || (word === 'from' && (safety === 'read' || action.isLocal === true))

  const reuse = async (call: NewCall, word: Word | undefined): Promise<Taken | undefined> => {
    if (isCovered(word, call)) return undefined
    for (let seed = choose(call, word); seed; seed = choose(call, word)) {
      shelf.remove(seed)
      const { output, startedAtMs, endedAtMs, waitedMs, requestId } = rows.read(seed.id)
      const times = { startedAtMs, endedAtMs, ...(waitedMs === undefined ? {} : { waitedMs }) }
      if (!hasItsFile(seed, { output, ...times }, call)) continue
      shelf.noteTaken(seed, call.intent)
      await journal.takeOver(call.intent, seed.id)
      const attempted: Attempted = { status: 'succeeded', output, ...times }
      return { kind: 'reused', attempted, ...(requestId === undefined ? {} : { requestId }) }
    }
    return undefined
  }
  /** What is made again counts no more as done: it must not ask for a word ever after. */
  const giveUp = (seeds: readonly Seed[]): void => {
    for (const seed of seeds) {
      shelf.remove(seed)
      queue.ride(() => rows.giveUp(seed.id))
    }
  }
  const make = (call: NewCall, word: Word | undefined): Taken => {
    const { intent, action, safety } = call
    if (safety === 'read' || action.isLocal) return { kind: 'to-make', isInDoubt: false }
    const open = shelf.openTwin(intent)
    if (safety === 'create' || !open) refuseChanged(call, word)
    giveUp([...(open ? [open] : []), ...(word === 'repeat' ? shelf.at(placeOfCall(intent.path)) : [])])
    return { kind: 'to-make', isInDoubt: open !== undefined }
  }
  const refuseChanged = ({ intent, safety }: NewCall, word: Word | undefined): void => {
    if (word === 'repeat' || word === 'repeat-changed') return
    const step = withoutPlaces(placeOfCall(intent.path))
    if (shelf.writesOf(step).length > 0 && !shelf.isOnlyRefused(intent))
      throw drift(intent, step, 'was carried out before with other arguments')
    if (shelf.isTakenByOther(intent))
      throw drift(intent, step, 'was carried out before, and kept for another call')
    const twin = safety === 'create' ? shelf.goneTwin(intent) : undefined
    if (twin)
      throw drift(intent, step, `would do again what ${twin.path} did, which is gone from the runbook`)
  }
  return {
    async take(call) {
      const word = words.of(placeOfCall(call.intent.path))
      return (await reuse(call, word)) ?? make(call, word)
    },
  }
}

/** The seeds that nothing has taken over yet, by what is asked of them. */
interface Shelf {
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

function createShelf({ seeds, kept, isWrite, hasStep }: SeedPoolOptions): Shelf {
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

function drift({ path }: AttemptIntent, step: string, what: string): RunbookError {
  const message = `${path} ${what}: nothing was sent; say whether to repeat or to keep ${step}`
  return new RunbookError('PlanDrift', message, { path, notSent: true, endsRun: true, details: { step } })
}
