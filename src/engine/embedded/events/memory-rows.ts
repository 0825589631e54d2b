import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { PastStart, StartMemory, TriggerName } from '../../../core/triggers/start-memory.ts'
import { findKeyHolder } from '../concurrency/key-rows.ts'

/** What was started before, as the database has it; to be used in a transaction. */
export interface MemoryRows extends StartMemory {
  /** A start that later ones are judged by. */
  remember(start: RememberedStart): void
  /** People have been told of a reached start limit. */
  rememberTold(trigger: TriggerName, atMs: number): void
}

/** A start as it is kept. */
export interface RememberedStart extends TriggerName, PastStart {
  readonly dedupeKey?: string
  readonly cooldownKey?: string
}

type Row = Readonly<Record<string, unknown>>

export function openMemoryRows(database: DatabaseSyncInstance, dataDir: string): MemoryRows {
  const one = (sql: string): ((...values: (string | number)[]) => Row | undefined) => {
    const statement = database.prepare(sql)
    return (...values) => statement.get(...values) as Row | undefined
  }
  const pause = one('SELECT 1 AS is_there FROM trigger_pause')
  const byKey = one('SELECT run_id, started_at FROM trigger_starts WHERE runbook = ? AND dedupe_key = ?')
  // In the order in which they were made: a clock that was ahead has left times that are still to come.
  const last = one('SELECT run_id, started_at FROM trigger_starts WHERE runbook = ? ORDER BY id DESC LIMIT 1')
  const lastOfKey = one(
    `SELECT run_id, started_at FROM trigger_starts WHERE runbook = ? AND cooldown_key = ?
     ORDER BY id DESC LIMIT 1`,
  )
  const count = one(
    `SELECT count(*) AS count FROM trigger_starts
     WHERE runbook = ? AND trigger_place = ? AND started_at > ? AND started_at < ?`,
  )
  const told = one('SELECT told_at FROM trigger_start_limits WHERE runbook = ? AND trigger_place = ?')
  // An older start keeps its place in the counts, and gives its key up.
  const freeKey = database.prepare(
    'UPDATE trigger_starts SET dedupe_key = NULL WHERE runbook = ? AND dedupe_key = ?',
  )
  const insert = database.prepare(
    `INSERT INTO trigger_starts (runbook, trigger_place, started_at, run_id, dedupe_key, cooldown_key)
     VALUES (?, ?, ?, ?, ?, ?)`,
  )
  const tell = database.prepare(
    `INSERT INTO trigger_start_limits (runbook, trigger_place, told_at) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET told_at = excluded.told_at`,
  )
  return {
    isPaused: () => pause() !== undefined,
    findKey: (runbook, key) => readStart(byKey(runbook, key)),
    lastStart: (runbook, key) => readStart(key === undefined ? last(runbook) : lastOfKey(runbook, key)),
    countStarts: ({ runbook, trigger }, afterMs, beforeMs) =>
      Number(count(runbook, trigger, afterMs, beforeMs)?.['count']),
    lastNotifiedStartLimit({ runbook, trigger }) {
      const row = told(runbook, trigger)
      return row && Number(row['told_at'])
    },
    findRunning: (runbook, key) => findKeyHolder(database, { dataDir, runbook, key })?.runId,
    remember({ runbook, trigger, atMs, runId, dedupeKey, cooldownKey }) {
      if (dedupeKey !== undefined) freeKey.run(runbook, dedupeKey)
      insert.run(runbook, trigger, atMs, runId, dedupeKey ?? null, cooldownKey ?? null)
    },
    rememberTold: ({ runbook, trigger }, atMs) => void tell.run(runbook, trigger, atMs),
  }
}

function readStart(row: Row | undefined): PastStart | undefined {
  return row && { runId: String(row['run_id']), atMs: Number(row['started_at']) }
}
