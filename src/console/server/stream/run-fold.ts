import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import type { JournalPage, WatchedRun } from '../../../acts/reads/run/index.ts'
import type { RecordedEvent } from '../../../core/record/index.ts'
import type { JournalDocument } from '../../../documents/index.ts'
import type { LiveRunView } from '../../../view/run/index.ts'

/** One who watches a run. */
export interface Viewer {
  /** The number of the last event in what it was sent. Undefined: it needs everything. */
  seq: number | undefined
  /** Whether what it was sent last has left. */
  isReady(): boolean
  send(frames: readonly string[]): void
  /** The run is not followed any more. Who still wants to watch it asks again. */
  end(): void
}

/** The fold of one run, for all who watch it. It follows the run until it is closed, which ends its viewers. */
export interface RunFold {
  /** Folds what is on record now: a page that a person opens after an act shows it. Rejects if it cannot be read. */
  catchUp(): Promise<void>
  readonly view: LiveRunView
  mask<T extends object>(document: T): T
  journal(page: JournalPage): Promise<JournalDocument>
  /** Sends the newest state at once and after each change, until the returned function is called. */
  watch(viewer: Viewer): () => void
  readonly viewers: number
  close(): void
}

/** At most four frames a second. */
const frameMs = 250
/** Rates and waits change without events, too: they are sent every 5 seconds. */
const framesOfPulse = 20
/** A run that nothing executes is looked at this often. */
const lookMs = 2000
/** For how long events are folded before other work gets its turn. */
const foldedForMs = 10
/** Larger states are sent in several frames. */
const mostFrameCharacters = 30_000

export function createRunFold(run: WatchedRun, onFailure: (error: unknown) => void): RunFold {
  const viewers = new Set<Viewer>()
  const closing = new AbortController()
  const { signal } = closing
  const { view } = run
  let timer: NodeJS.Timeout | undefined

  const lookAtState = async (): Promise<void> => {
    const state = await run.state()
    if (state === undefined || !view.takeState(state)) return
    for (const viewer of viewers) viewer.seq = undefined
  }
  // What is on record may be read while it is followed.
  const take = (recorded: RecordedEvent): void => {
    if (recorded.seq > view.seq) run.take(recorded)
  }
  const load = async (): Promise<void> => {
    let sinceMs = performance.now()
    for (const recorded of await run.past(view.seq)) {
      take(recorded)
      if (performance.now() - sinceMs < foldedForMs) continue
      await setImmediate()
      if (signal.aborted) return
      sinceMs = performance.now()
    }
    await lookAtState()
  }
  const follow = async (): Promise<void> => {
    while (!signal.aborted) {
      for await (const recorded of run.follow(view.seq, signal)) take(recorded)
      await lookAtState()
      await sleep(lookMs, undefined, { signal }).catch(() => {})
    }
  }
  let first: Promise<void> | undefined
  let last = Promise.resolve()
  let due: Promise<void> | undefined
  const begin = (): Promise<void> => {
    const begun = load()
    begun.then(follow).catch((error) => {
      if (!signal.aborted) onFailure(error)
    })
    return begun
  }
  /** Once for all who ask before it begins: what began before may have missed what they saw happen. */
  const catchUp = (): Promise<void> => {
    if (first === undefined) {
      first = begin()
      return first
    }
    // Without its beginning there is no fold. What could not be read later can be read the next time.
    due ??= last
      .then(() => first)
      .then(() => {
        due = undefined
        return load()
      })
    last = due.catch(() => {})
    return due
  }

  /** Viewers that have the same get the same frames, made once. A slow one gets the newest state when it is ready. */
  const sendNew = (only?: Viewer): void => {
    const isPulse = only === undefined && ++turns % framesOfPulse === 0 && hasTimeChanged()
    const made = new Map<number | undefined, readonly string[]>()
    for (const viewer of only === undefined ? viewers : [only]) {
      if (!viewer.isReady() || (viewer.seq === view.seq && !isPulse)) continue
      const frames = made.get(viewer.seq) ?? framesOf(viewer.seq, isPulse)
      made.set(viewer.seq, frames)
      viewer.seq = view.seq
      viewer.send(frames)
    }
  }
  let turns = 0
  let pulsed = '[]'
  const hasTimeChanged = (): boolean => {
    const before = pulsed
    pulsed = JSON.stringify(view.view(Date.now(), view.seq, true).nodes)
    return pulsed !== before && pulsed !== '[]'
  }
  const framesOf = (afterSeq: number | undefined, isPulse: boolean): readonly string[] => {
    const { nodes, ...rest } = run.mask(view.view(Date.now(), afterSeq, isPulse))
    const { is_whole: _, ...later } = rest
    return inParts(nodes).map((part, place) =>
      frameText('view', { ...(place === 0 ? rest : later), nodes: part }, view.seq),
    )
  }
  return {
    catchUp,
    view,
    mask: run.mask,
    journal: run.journal,
    get viewers() {
      return viewers.size
    },
    watch(viewer) {
      viewers.add(viewer)
      sendNew(viewer)
      timer ??= setInterval(sendNew, frameMs)
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

/** Nodes in parts that are not too large for a frame. There is always a part. */
function inParts(nodes: readonly object[]): readonly (readonly object[])[] {
  const parts: object[][] = [[]]
  let size = 0
  for (const node of nodes) {
    const length = JSON.stringify(node).length
    if (size > 0 && size + length > mostFrameCharacters) {
      parts.push([])
      size = 0
    }
    parts.at(-1)?.push(node)
    size += length
  }
  return parts
}

/** An event of the stream. */
export function frameText(event: string, data: object, id?: number): string {
  return `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`
}
