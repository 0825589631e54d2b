import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import type { WatchedRun } from '../../../acts/reads/run/index.ts'
import type { RecordedEvent } from '../../../core/record/index.ts'
import { type Audience, sendNew, type Viewer } from './frames.ts'

/** The fold of one run, for all who watch it. It follows the run until it is closed, which ends its viewers. */
export interface RunFold extends Pick<WatchedRun, 'view' | 'mask' | 'journal'> {
  /** Folds what is on record now: a page that a person opens after an act shows it. Rejects if it cannot be read. */
  catchUp(): Promise<void>
  /** Sends the newest state at once and after each change, until the returned function is called. */
  watch(viewer: Viewer): () => void
  readonly viewers: number
  close(): void
}

/** At most four frames a second. */
const frameMs = 250
/** A run that nothing executes is looked at this often. */
const lookMs = 2000
/** For how long events are folded before other work continues. */
const foldedForMs = 10

export function createRunFold(run: WatchedRun, onFailure: (error: unknown) => void): RunFold {
  const audience: Audience = { viewers: new Set(), frames: 0, pulsed: '[]' }
  const { viewers } = audience
  const closing = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let first: Promise<void> | undefined
  let last = Promise.resolve()
  let due: Promise<void> | undefined
  const loadNow = (): Promise<void> => load(run, audience, closing.signal)
  const begin = (): Promise<void> => {
    const begun = loadNow()
    begun
      .then(() => follow(run, audience, closing.signal))
      .catch((error) => {
        if (!closing.signal.aborted) onFailure(error)
      })
    return begun
  }
  return {
    /** Once for all who ask before it begins: what began before may have missed what they saw happen. */
    catchUp() {
      if (first === undefined) {
        first = begin()
        return first
      }
      // Without its beginning there is no fold. What could not be read later can be read the next time.
      due ??= last
        .then(() => first)
        .then(() => {
          due = undefined
          return loadNow()
        })
      last = due.catch(() => {})
      return due
    },
    view: run.view,
    mask: run.mask,
    journal: run.journal,
    get viewers() {
      return viewers.size
    },
    watch(viewer) {
      viewers.add(viewer)
      sendNew(run, audience, viewer)
      timer ??= setInterval(sendNew, frameMs, run, audience)
      return () => {
        viewers.delete(viewer)
        if (viewers.size > 0) return
        clearInterval(timer)
        timer = undefined
      }
    },
    close() {
      clearInterval(timer)
      closing.abort()
      for (const viewer of viewers) viewer.end()
    },
  }
}

/** Folds what is on record now. */
async function load(run: WatchedRun, audience: Audience, signal: AbortSignal): Promise<void> {
  let sinceMs = performance.now()
  for (const recorded of await run.past(run.view.seq)) {
    take(run, recorded)
    if (performance.now() - sinceMs < foldedForMs) continue
    await setImmediate()
    if (signal.aborted) return
    sinceMs = performance.now()
  }
  await lookAtState(run, audience)
}

async function follow(run: WatchedRun, audience: Audience, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    for await (const recorded of run.follow(run.view.seq, signal)) take(run, recorded)
    await lookAtState(run, audience)
    await sleep(lookMs, undefined, { signal }).catch(() => {})
  }
}

// What is on record may be read while it is followed.
function take(run: WatchedRun, recorded: RecordedEvent): void {
  if (recorded.seq > run.view.seq) run.take(recorded)
}

async function lookAtState(run: WatchedRun, { viewers }: Audience): Promise<void> {
  const state = await run.state()
  if (state === undefined || !run.view.takeState(state)) return
  for (const viewer of viewers) viewer.seq = undefined
}
