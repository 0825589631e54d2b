import { type WaitReason, waitReasons } from '../core/events.ts'
import type { RecordedEvent } from '../core/record/index.ts'
import { objectOf, oneWord, type Schema, text, time } from './describe.ts'

/** One wait of a call. Times are RFC 3339. */
export interface WaitDocument {
  readonly path: string
  readonly reason: WaitReason
  /** Before a batch is retried: what failed. */
  readonly message?: string
  readonly started_at: string
  /** When it was expected to end, if known. */
  readonly until?: string
  /** When the call or the run continued or ended. Left out: it still waits, or the end was not recorded. */
  readonly ended_at?: string
}
export const callWaitSchema: Schema<WaitDocument> = objectOf<WaitDocument>({
  path: text,
  reason: oneWord(...waitReasons),
  'message?': text,
  started_at: time,
  'until?': time,
  'ended_at?': time,
})

/** Reads the waits from the events of a run, in the order in which they began. */
export function readWaits(events: Iterable<RecordedEvent>): readonly WaitDocument[] {
  const waits: WaitDocument[] = []
  /** Positions in the list of the open waits, by their paths. */
  const open = new Map<string, number>()
  const close = (path: string, at: string): void => {
    const position = open.get(path)
    const wait = position === undefined ? undefined : waits[position]
    if (!wait || position === undefined) return
    waits[position] = { ...wait, ended_at: wait.until !== undefined && wait.until < at ? wait.until : at }
    open.delete(path)
  }
  for (const { event } of events) {
    const at = new Date(event.at).toISOString()
    if (!('path' in event)) {
      if (event.type === 'run_finished') for (const path of [...open.keys()]) close(path, at)
      continue
    }
    for (const path of pathsAround(event.path)) close(path, at)
    if (event.type !== 'waiting') continue
    const { path, reason, until } = event
    const message = reason === 'retry' ? event.message : undefined
    open.set(path, waits.length)
    waits.push({
      path,
      reason,
      ...(message === undefined ? {} : { message }),
      started_at: at,
      ...(until === undefined ? {} : { until: new Date(until).toISOString() }),
    })
  }
  return waits
}

/** `a/b[1]/c`, `a/b[1]`, `a/b` and `a`: an event of a call ends the waits of the steps around it. */
function pathsAround(path: string): readonly string[] {
  const ends = [...path.matchAll(/[/[]/g)].map(({ index }) => path.slice(0, index))
  return [path, ...ends]
}
