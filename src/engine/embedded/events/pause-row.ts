import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { Identity } from '../../../core/record/identity.ts'
import type { TriggerPause } from '../../event-book.ts'

/** Whether a person has stopped all starting, and who. */
export function readPause(database: DatabaseSyncInstance): TriggerPause | undefined {
  const row = database.prepare('SELECT paused_by, paused_at, comment FROM trigger_pause').get()
  if (!row) return undefined
  const { paused_by, paused_at, comment } = row
  return {
    by: JSON.parse(String(paused_by)) as Identity,
    since: new Date(Number(paused_at)).toISOString(),
    ...(typeof comment === 'string' ? { comment } : {}),
  }
}

/** To be called in a transaction. */
export function writePause(database: DatabaseSyncInstance, pause: TriggerPause | undefined): void {
  database.prepare('DELETE FROM trigger_pause').run()
  if (!pause) return
  database
    .prepare('INSERT INTO trigger_pause (only_row, paused_by, paused_at, comment) VALUES (1, ?, ?, ?)')
    .run(JSON.stringify(pause.by), Date.parse(pause.since), pause.comment ?? null)
}
