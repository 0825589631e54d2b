import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { Identity } from '../../../core/events.ts'
import type { PastStart, StartMemory, TriggerName } from '../../../core/triggers/index.ts'
import type { TriggerPause } from '../../index.ts'
import { findKeyHolder } from '../concurrency/key-rows.ts'

/** The earlier starts of triggers; to be used in a transaction. */
export interface TriggerRows extends StartMemory {
  /** Records a start, against which later events are evaluated. */
  remember(start: RememberedStart): void
  /** Records that a reached start limit was notified. */
  rememberNotified(trigger: TriggerName, atMs: number): void
}

/** A start to record. */
export interface RememberedStart extends TriggerName, PastStart {
  readonly dedupeKey?: string
  readonly cooldownKey?: string
}

type Row = Readonly<Record<string, unknown>>

export function openTriggerRows(database: DatabaseSyncInstance, dataDir: string): TriggerRows {
  const one = (sql: string): ((...values: (string | number)[]) => Row | undefined) => {
    const statement = database.prepare(sql)
    return (...values) => statement.get(...values) as Row | undefined
  }
  const pause = one('SELECT 1 AS is_there FROM trigger_pause')
  const byKey = one('SELECT run_id, started_at FROM trigger_starts WHERE runbook = ? AND dedupe_key = ?')
  // By id and not by time, since a clock that was set back leaves times in the future.
  const last = one('SELECT run_id, started_at FROM trigger_starts WHERE runbook = ? ORDER BY id DESC LIMIT 1')
  const lastOfKey = one(
    `SELECT run_id, started_at FROM trigger_starts WHERE runbook = ? AND cooldown_key = ?
     ORDER BY id DESC LIMIT 1`,
  )
  const count = one(
    `SELECT count(*) AS count FROM trigger_starts
     WHERE runbook = ? AND trigger_index = ? AND started_at > ? AND started_at < ?`,
  )
  const notified = one('SELECT notified_at FROM trigger_start_limits WHERE runbook = ? AND trigger_index = ?')
  // An older start still counts for limits, and loses its key.
  const freeKey = database.prepare(
    'UPDATE trigger_starts SET dedupe_key = NULL WHERE runbook = ? AND dedupe_key = ?',
  )
  const insert = database.prepare(
    `INSERT INTO trigger_starts (runbook, trigger_index, started_at, run_id, dedupe_key, cooldown_key)
     VALUES (?, ?, ?, ?, ?, ?)`,
  )
  const notify = database.prepare(
    `INSERT INTO trigger_start_limits (runbook, trigger_index, notified_at) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET notified_at = excluded.notified_at`,
  )
  return {
    isPaused: () => pause() !== undefined,
    findKey: (runbook, key) => readStart(byKey(runbook, key)),
    lastStart: (runbook, key) => readStart(key === undefined ? last(runbook) : lastOfKey(runbook, key)),
    countStarts: ({ runbook, trigger }, afterMs, beforeMs) =>
      Number(count(runbook, trigger, afterMs, beforeMs)?.['count']),
    lastNotifiedStartLimit({ runbook, trigger }) {
      const row = notified(runbook, trigger)
      return row && Number(row['notified_at'])
    },
    findRunning: (runbook, { key, limit }) => findKeyHolder(database, { dataDir, runbook, key, limit }),
    remember({ runbook, trigger, atMs, runId, dedupeKey, cooldownKey }) {
      if (dedupeKey !== undefined) freeKey.run(runbook, dedupeKey)
      insert.run(runbook, trigger, atMs, runId, dedupeKey ?? null, cooldownKey ?? null)
    },
    rememberNotified: ({ runbook, trigger }, atMs) => void notify.run(runbook, trigger, atMs),
  }
}

function readStart(row: Row | undefined): PastStart | undefined {
  return row && { runId: String(row['run_id']), atMs: Number(row['started_at']) }
}

/** The pause of all automatic starts. Undefined: they are not paused. */
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

/** Records the pause of all automatic starts, or removes it; to be called in a transaction. */
export function writePause(database: DatabaseSyncInstance, pause: TriggerPause | undefined): void {
  database.prepare('DELETE FROM trigger_pause').run()
  if (!pause) return
  database
    .prepare('INSERT INTO trigger_pause (only_row, paused_by, paused_at, comment) VALUES (1, ?, ?, ?)')
    .run(JSON.stringify(pause.by), Date.parse(pause.since), pause.comment ?? null)
}
