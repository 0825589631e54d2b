import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { Clock } from './clock.ts'
import type { CommitQueue } from './commit-queue.ts'

/** When a run first came to places of its plan. */
export interface Marks {
  /**
   * The time of the record, or now, which is the time of the record from then on. Never later than now, also where the
   * clock has been set back since.
   */
  reached(path: string): number
}

export function openMarks(
  database: DatabaseSyncInstance,
  queue: CommitQueue,
  clock: Clock,
  runId: string,
): Marks {
  const select = database.prepare('SELECT reached_at FROM marks WHERE run_id = ? AND path = ?')
  const insert = database.prepare('INSERT INTO marks (run_id, path, reached_at) VALUES (?, ?, ?)')
  /** Those that are not in the database yet. */
  const queued = new Map<string, number>()
  return {
    reached(path) {
      const known = queued.get(path) ?? select.get(runId, path)?.['reached_at']
      const now = clock.now()
      if (known !== undefined) return Math.min(Number(known), now)
      queued.set(path, now)
      // Nobody needs to wait for the disk: a process that dies in this moment has not waited for anything yet.
      queue.ride(() => {
        insert.run(runId, path, now)
        queued.delete(path)
      })
      return now
    },
  }
}
