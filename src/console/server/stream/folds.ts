import type { ConsoleReads } from '../reads.ts'
import { createRunFold, type RunFold } from './run-fold.ts'

/** The folds of the runs that are watched now: one for each run, however many pages watch it. */
export interface Folds {
  /** The fold of a run, by its id or what stands for it, with all its events so far. Rejects if there is no such run. */
  open(given: string): Promise<RunFold>
  close(): void
}

/** How long a fold is kept after its last use, in milliseconds. */
const keptMs = 60_000
/** Of those without viewers, at most this many: a person who looks at one run after another needs no more. */
const mostUnwatched = 20
const lookMs = 5000

interface Kept {
  readonly opened: Promise<RunFold>
  /** Once it has read the events so far. */
  fold?: RunFold
  usedMs: number
}

/** `now`: Unix time in milliseconds. */
export function createFolds(
  reads: Pick<ConsoleReads, 'runId' | 'watch'>,
  onFailure: (error: unknown) => void,
  now: () => number = Date.now,
): Folds {
  const folds = new Map<string, Kept>()
  const forget = (runId: string): void => {
    const kept = folds.get(runId)
    folds.delete(runId)
    kept?.opened.then((fold) => fold.close()).catch(() => {})
  }
  const forgetOld = (): void => {
    const unwatched: (readonly [runId: string, kept: Kept])[] = []
    for (const [runId, kept] of folds) {
      if ((kept.fold?.viewers ?? 0) > 0) kept.usedMs = now()
      else if (now() - kept.usedMs > keptMs) forget(runId)
      // One that is being read is about to be used.
      else if (kept.fold !== undefined) unwatched.push([runId, kept])
    }
    unwatched.sort(([, one], [, other]) => other.usedMs - one.usedMs)
    for (const [runId] of unwatched.slice(mostUnwatched)) forget(runId)
  }
  const timer = setInterval(forgetOld, lookMs).unref()
  const open = async (runId: string): Promise<RunFold> =>
    createRunFold(await reads.watch(runId), (error) => {
      forget(runId)
      onFailure(error)
    })
  return {
    async open(given) {
      // "latest" may be another run than at the request before.
      const runId = await reads.runId(given)
      const kept: Kept = folds.get(runId) ?? { opened: open(runId), usedMs: now() }
      folds.set(runId, kept)
      kept.usedMs = now()
      try {
        const fold = await kept.opened
        await fold.catchUp()
        kept.fold = fold
        kept.usedMs = now()
        forgetOld()
        return fold
      } catch (error) {
        // One that others watch goes on: it follows the run once the record can be read again.
        if (kept.fold === undefined && folds.get(runId) === kept) forget(runId)
        throw error
      }
    },
    close() {
      clearInterval(timer)
      for (const runId of folds.keys()) forget(runId)
    },
  }
}
