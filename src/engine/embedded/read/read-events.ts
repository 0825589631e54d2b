import { setTimeout as sleep } from 'node:timers/promises'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { RecordedEvent } from '../../../core/record/index.ts'
import type { FollowOptions } from '../../index.ts'
import { isOwned } from '../run/ownership.ts'
import { readEventRow } from '../tables/event-log.ts'

type Row = Readonly<Record<string, unknown>>

const eventsPage = 500

/** The recorded events of a run after a number, page by page. */
export function* readEvents(
  database: DatabaseSyncInstance,
  runId: string,
  afterSeq: number,
  inside?: string,
): IterableIterator<RecordedEvent> {
  const select = database.prepare(
    `SELECT * FROM events WHERE run_id = ? AND seq > ?
       AND (? IS NULL OR path IS NULL OR path = ? OR substr(path, 1, length(?) + 1) = ? || '/') ORDER BY seq LIMIT ?`,
  )
  const path = inside ?? null
  let last = afterSeq
  for (;;) {
    const rows = select.all(runId, last, path, path, path, path, eventsPage) as Row[]
    if (rows.length === 0) return
    last = Number(rows.at(-1)?.['seq'])
    yield* rows.map((row) => readEventRow(row, runId))
  }
}

const pollMs = 100

/** The events of a run until no process executes it. */
export async function* followEvents(
  database: DatabaseSyncInstance,
  dataDir: string,
  runId: string,
  { afterSeq = 0, signal }: FollowOptions,
): AsyncIterableIterator<RecordedEvent> {
  const select = database.prepare('SELECT status, is_queued FROM runs WHERE id = ?')
  let last = afterSeq
  for (;;) {
    // Read before the events: the last events of a run are in its log before its end is.
    const row = select.get(runId)
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
