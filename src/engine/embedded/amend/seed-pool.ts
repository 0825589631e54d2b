import type { Action } from '../../../actions/action.ts'
import type { Safety } from '../../../core/action.ts'
import type { Attempted } from '../../../core/host.ts'
import { isJsonObject } from '../../../core/json.ts'
import { placeOfCall } from '../../../core/record/place-of-call.ts'
import { RunbookError } from '../../../core/run-error.ts'
import type { RunArtifacts } from '../artifacts.ts'
import type { CommitQueue } from '../commit-queue.ts'
import type { AttemptIntent, Journal } from '../journal.ts'
import { callName, withoutPlaces } from './call-names.ts'
import type { Word, WordBook } from './read-words.ts'
import type { Seed, SeedOutcome, SeedRows } from './seed-rows.ts'
import { createSeedShelf, type SeedShelfOptions } from './seed-shelf.ts'

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
export interface SeedPoolOptions extends SeedShelfOptions {
  readonly rows: SeedRows
  readonly words: WordBook
  readonly journal: Journal
  readonly queue: CommitQueue
  readonly artifacts: RunArtifacts
}

export function createSeedPool(options: SeedPoolOptions): SeedPool {
  const { rows, words, journal, queue, artifacts } = options
  const shelf = createSeedShelf(options)

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

function drift({ path }: AttemptIntent, step: string, what: string): RunbookError {
  const message = `${path} ${what}: nothing was sent; say whether to repeat or to keep ${step}`
  return new RunbookError('PlanDrift', message, { path, notSent: true, endsRun: true, details: { step } })
}
