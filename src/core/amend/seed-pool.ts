import type { Safety } from '../action.ts'
import { placeOfCall } from '../record/place-of-call.ts'
import { RunbookError } from '../run-error.ts'
import { callName, withoutPlaces } from './call-names.ts'
import type { Word, WordBook } from './read-words.ts'
import type { CallName, Seed } from './seed.ts'
import { createSeedShelf, type SeedShelfOptions } from './seed-shelf.ts'

/** A call that has not been made since the run was amended. */
export interface NewCall extends CallName {
  readonly safety: Safety
  /** Nothing is sent to anybody. */
  readonly isLocal: boolean
}

/** What becomes of it: what was done before counts for it, or it is made. */
export type Taken<OneSeed extends Seed = Seed> =
  | { readonly kind: 'reused'; readonly seed: OneSeed }
  /** `isInDoubt`: the same call was made before the amendment, and nobody knows what came of it. */
  | { readonly kind: 'to-make'; readonly isInDoubt: boolean }

/** What was done before a run was amended, for its calls to take over. */
export interface SeedPool<OneSeed extends Seed = Seed> {
  /**
   * Decides about a call. Rejects with `PlanDrift`, which ends the run, where a write was carried out with other
   * arguments and nobody has said what is to become of it.
   */
  take(call: NewCall): Promise<Taken<OneSeed>>
}

/** What a pool works with. */
export interface SeedPoolOptions<OneSeed extends Seed> extends SeedShelfOptions<OneSeed> {
  readonly words: WordBook
  /** Gives the file that a seed has made, if it has made one, to a call. False: another call has taken it since. */
  takeFile(seed: OneSeed, call: NewCall): boolean | Promise<boolean>
  /** It is made again, and can be taken over no more. */
  giveUp(seed: OneSeed): void
}

export function createSeedPool<OneSeed extends Seed>(options: SeedPoolOptions<OneSeed>): SeedPool<OneSeed> {
  const { words, takeFile, giveUp } = options
  const shelf = createSeedShelf(options)

  /** What a call may take over; of those with its arguments the one at its own place first. */
  const choose = (call: NewCall, word: Word | undefined): OneSeed | undefined => {
    const here = ({ path }: Seed): boolean => path === call.path
    const same = shelf.twins(call)
    const exact = same.find(here) ?? same[0]
    if (exact || word !== 'keep') return exact
    const done = shelf.doneBy(callName(call.path), call.action)
    // A step that has another id now, or stands elsewhere, can be kept all the same.
    return done.find(here) ?? done[0] ?? shelf.goneTwin(call) ?? shelf.doneByGone(call.action)[0]
  }
  const isCovered = (word: Word | undefined, { safety, isLocal }: NewCall): boolean =>
    word === 'repeat' || (word === 'from' && (safety === 'read' || isLocal))

  const reuse = async (call: NewCall, word: Word | undefined): Promise<Taken<OneSeed> | undefined> => {
    if (isCovered(word, call)) return undefined
    for (let seed = choose(call, word); seed; seed = choose(call, word)) {
      shelf.remove(seed)
      const hasFile = await takeFile(seed, call)
      // A file can be made anew; what was sent to somebody is there, whatever became of its file.
      if (!hasFile && (call.safety === 'read' || call.isLocal)) continue
      shelf.noteTaken(seed, call)
      return { kind: 'reused', seed }
    }
    return undefined
  }
  const make = (call: NewCall, word: Word | undefined): Taken<OneSeed> => {
    const { path, safety, isLocal } = call
    if (safety === 'read' || isLocal) return { kind: 'to-make', isInDoubt: false }
    const open = shelf.openTwin(call)
    if (safety === 'create' || !open) refuseChanged(call, word)
    // What is made again counts no more as done: it must not ask for a word ever after.
    const again = [...(open ? [open] : []), ...(word === 'repeat' ? shelf.at(placeOfCall(path)) : [])]
    for (const seed of again) {
      shelf.remove(seed)
      giveUp(seed)
    }
    return { kind: 'to-make', isInDoubt: open !== undefined }
  }
  const refuseChanged = (call: NewCall, word: Word | undefined): void => {
    if (word === 'repeat' || word === 'repeat-changed') return
    const step = withoutPlaces(placeOfCall(call.path))
    if (shelf.writesOf(step).length > 0 && !shelf.isOnlyRefused(call))
      throw drift(call, step, 'was carried out before with other arguments')
    if (shelf.isTakenByOther(call))
      throw drift(call, step, 'was carried out before, and kept for another call')
    const twin = call.safety === 'create' ? shelf.goneTwin(call) : undefined
    if (twin) throw drift(call, step, `would do again what ${twin.path} did, which is gone from the runbook`)
  }
  return {
    async take(call) {
      const word = words.of(placeOfCall(call.path))
      return (await reuse(call, word)) ?? make(call, word)
    },
  }
}

function drift({ path }: CallName, step: string, what: string): RunbookError {
  const message = `${path} ${what}: nothing was sent; say whether to repeat or to keep ${step}`
  return new RunbookError('PlanDrift', message, { path, notSent: true, endsRun: true, details: { step } })
}
