import type { JsonObject } from '../../../core/json.ts'
import type { RecordedEvent } from '../../../core/record/run-record.ts'

/** One time that something waited. */
export interface Wait {
  readonly path: string
  readonly reason: string
  readonly fromMs: number
  /** When it was to be over, where that was known. */
  readonly untilMs?: number
  /** When the run went on there, or came to its end. Left out: it still waits, or nobody has told. */
  readonly endedMs?: number
}

/** Every wait that the log of a run tells of, in the order in which they began. */
export function readWaits(events: Iterable<RecordedEvent>): readonly Wait[] {
  const waits: Wait[] = []
  /** Places in the list of those that are not over, by their paths. */
  const open = new Map<string, number>()
  const close = (path: string, atMs: number): void => {
    const place = open.get(path)
    const wait = place === undefined ? undefined : waits[place]
    if (!wait || place === undefined) return
    waits[place] = { ...wait, endedMs: Math.min(atMs, wait.untilMs ?? atMs) }
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
    open.set(path, waits.length)
    waits.push({ path, reason, fromMs: atMs, ...(until === undefined ? {} : { untilMs: until }) })
  }
  return waits
}

/** Of `a/b[1]/c` itself, `a/b[1]`, `a/b` and `a`: who waits around something that goes on has waited long enough. */
function pathsAround(path: string): readonly string[] {
  const ends = [...path.matchAll(/[/[]/g)].map(({ index }) => path.slice(0, index))
  return [path, ...ends]
}

/** A wait as programs get it. */
export function waitDocument({ path, reason, fromMs, untilMs, endedMs }: Wait): JsonObject {
  return {
    path,
    reason,
    started_at: new Date(fromMs).toISOString(),
    ...(untilMs === undefined ? {} : { until: new Date(untilMs).toISOString() }),
    ...(endedMs === undefined ? {} : { ended_at: new Date(endedMs).toISOString() }),
  }
}
