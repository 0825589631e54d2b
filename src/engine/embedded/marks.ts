import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { Clock } from '../attempt/clock.ts'
import type { CommitQueue } from './commit-queue.ts'

/** When a run first came to places of its plan. */
export interface Marks {
  /**
   * The time of the record, or now, which is the time of the record from then on. Never later than now, also where the
   * clock has been set back since.
   */
  reached(path: string): number
  /** Now, whatever the record says: it is another place from now on. */
  reachedAnew(path: string): number
  /** From when on working time counts for the limit of a place that has been given its time anew. */
  countsFrom(path: string): number | undefined
}

/** Under which path it is noted that a place has its time anew. No path of a plan has a blank. */
export function limitMark(path: string): string {
  return `${path} limit`
}

export function openMarks(
  database: DatabaseSyncInstance,
  queue: CommitQueue,
  clock: Clock,
  runId: string,
): Marks {
  const select = database.prepare('SELECT reached_at FROM marks WHERE run_id = ? AND path = ?')
  const upsert = database.prepare(
    `INSERT INTO marks (run_id, path, reached_at) VALUES (?, ?, ?)
     ON CONFLICT (run_id, path) DO UPDATE SET reached_at = excluded.reached_at`,
  )
  /** Those that are not in the database yet. */
  const queued = new Map<string, number>()
  const reachedAnew = (path: string): number => {
    const now = clock.now()
    queued.set(path, now)
    // Nobody needs to wait for the disk: a process that dies in this moment has not waited for anything yet.
    queue.ride(() => {
      upsert.run(runId, path, now)
      queued.delete(path)
    })
    return now
  }
  return {
    reachedAnew,
    reached(path) {
      const known = queued.get(path) ?? select.get(runId, path)?.['reached_at']
      return known === undefined ? reachedAnew(path) : Math.min(Number(known), clock.now())
    },
    countsFrom(path) {
      const known = select.get(runId, limitMark(path))?.['reached_at']
      return known === undefined ? undefined : Number(known)
    },
  }
}
