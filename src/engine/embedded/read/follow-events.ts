import { setTimeout as sleep } from 'node:timers/promises'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { RecordedEvent } from '../../../core/record/index.ts'
import type { FollowOptions } from '../../index.ts'
import { sql } from '../database/sql.ts'
import { isOwned } from '../run/ownership.ts'
import { readEvents } from '../tables/event-log.ts'

const pollMs = 100

/** The events of a run until no process executes it. */
export async function* followEvents(
  database: DatabaseSyncInstance,
  dataDir: string,
  runId: string,
  { afterSeq = 0, signal }: FollowOptions,
): AsyncIterableIterator<RecordedEvent> {
  let last = afterSeq
  for (;;) {
    // Read before the events: the last events of a run are in its log before its end is.
    const row = sql(database).get`SELECT status, is_queued FROM runs WHERE id = ${runId}`
    const isActive =
      (row?.['status'] === 'running' || row?.['is_queued'] === 2) &&
      (row['is_queued'] === 1 || isOwned(dataDir, runId))
    for (const recorded of readEvents(database, runId, last)) {
      if (signal?.aborted) return
      last = recorded.seq
      yield recorded
    }
    if (!isActive || signal?.aborted) return
    await sleep(pollMs, undefined, signal ? { signal } : {}).catch(() => {})
  }
}
