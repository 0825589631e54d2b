import { type WaitReason, waitReasons } from '../core/events.ts'
import type { RecordedEvent } from '../core/record/index.ts'
import { objectOf, oneWord, type Schema, text, time } from './describe.ts'

/** One wait of a call. */
export interface JournalWait {
  readonly path: string
  readonly reason: WaitReason
  /** Before a batch is retried: what failed. */
  readonly message?: string
  readonly fromMs: number
  /** When it was expected to end, if known. */
  readonly untilMs?: number
  /** When the call or the run continued or ended. Left out: it still waits, or the end was not recorded. */
  readonly endedMs?: number
}

/** Reads the waits from the events of a run, in the order in which they began. */
export function readWaits(events: Iterable<RecordedEvent>): readonly JournalWait[] {
  const waits: JournalWait[] = []
  /** Positions in the list of the open waits, by their paths. */
  const open = new Map<string, number>()
  const close = (path: string, atMs: number): void => {
    const position = open.get(path)
    const wait = position === undefined ? undefined : waits[position]
    if (!wait || position === undefined) return
    waits[position] = { ...wait, endedMs: Math.min(atMs, wait.untilMs ?? atMs) }
    open.delete(path)
  }
  for (const { event } of events) {
    const atMs = Date.parse(event.at)
    if (!('path' in event)) {
      if (event.type === 'run_finished') for (const path of [...open.keys()]) close(path, atMs)
      continue
    }
    for (const path of pathsAround(event.path)) close(path, atMs)
    if (event.type !== 'waiting') continue
    const { path, reason, until } = event
    const message = reason === 'retry' ? event.message : undefined
    open.set(path, waits.length)
    const why = message === undefined ? {} : { message }
    waits.push({ path, reason, ...why, fromMs: atMs, ...(until === undefined ? {} : { untilMs: until }) })
  }
  return waits
}

/** `a/b[1]/c`, `a/b[1]`, `a/b` and `a`: an event of a call ends the waits of the steps around it. */
function pathsAround(path: string): readonly string[] {
  const ends = [...path.matchAll(/[/[]/g)].map(({ index }) => path.slice(0, index))
  return [path, ...ends]
}

/** A wait of a call, for programs. */
export interface WaitDocument {
  readonly path: string
  readonly reason: WaitReason
  /** Before a batch is retried: what failed. */
  readonly message?: string
  readonly started_at: string
  readonly until?: string
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

/** A wait as a document. */
export function waitDocument({ path, reason, message, fromMs, untilMs, endedMs }: JournalWait): WaitDocument {
  return {
    path,
    reason,
    ...(message === undefined ? {} : { message }),
    started_at: new Date(fromMs).toISOString(),
    ...(untilMs === undefined ? {} : { until: new Date(untilMs).toISOString() }),
    ...(endedMs === undefined ? {} : { ended_at: new Date(endedMs).toISOString() }),
  }
}
