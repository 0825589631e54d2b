import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { Clock } from '../../attempt/index.ts'
import type { CommitQueue } from '../database/commit-queue.ts'
import { sql } from '../database/sql.ts'

/** When a run first reached the steps of its plan. */
export interface FirstReachedTimes {
  /** The recorded time, or now, which is then recorded. */
  reached(path: string): number
  /** Now, which replaces the recorded time. */
  reachedAnew(path: string): number
  /** The start of the time limit of a step that a resume gave its whole time again. */
  countsFrom(path: string): number | undefined
}

/** The path under which {@link FirstReachedTimes.countsFrom} is recorded. No path of a plan contains a blank. */
export function limitMark(path: string): string {
  return `${path} limit`
}

export function openFirstReached(
  database: DatabaseSyncInstance,
  queue: CommitQueue,
  clock: Clock,
  runId: string,
): FirstReachedTimes {
  const select = (path: string): unknown =>
    sql(database).get`SELECT reached_at FROM first_reached WHERE run_id = ${runId} AND path = ${path}`?.[
      'reached_at'
    ]
  /** The times that are not in the database yet. */
  const queued = new Map<string, number>()
  const reachedAnew = (path: string): number => {
    const now = clock.now()
    queued.set(path, now)
    // No caller waits for the disk: a process that dies before the commit has not waited for anything yet.
    queue.batch(() => {
      sql(database).run`
        INSERT INTO first_reached (run_id, path, reached_at) VALUES (${runId}, ${path}, ${now})
        ON CONFLICT (run_id, path) DO UPDATE SET reached_at = excluded.reached_at`
      queued.delete(path)
    })
    return now
  }
  return {
    reachedAnew,
    reached(path) {
      const known = queued.get(path) ?? select(path)
      return known === undefined ? reachedAnew(path) : Number(known)
    },
    countsFrom(path) {
      const known = select(limitMark(path))
      return known === undefined ? undefined : Number(known)
    },
  }
}
