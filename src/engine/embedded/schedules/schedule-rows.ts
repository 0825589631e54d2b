import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { Identity } from '../../../core/events.ts'
import type { NoFireReason, ScheduleFire, SchedulePause } from '../../../core/triggers/index.ts'

/** A schedule that a runbook declares. */
export interface DeclaredSchedule {
  readonly id: string
  readonly runbook: string
  /** Position of the trigger in the list of its runbook. */
  readonly trigger: number
  /** The start times. With another text the schedule starts anew. */
  readonly definition: string
}

/** A recorded schedule. */
export interface StoredSchedule extends DeclaredSchedule {
  readonly paused?: SchedulePause
  /** The process that serves the data directory evaluates it. */
  readonly isServed: boolean
  readonly last: readonly ScheduleFire[]
  readonly missed: number
}

/** A schedule in its table. */
export interface ScheduleRow extends DeclaredSchedule, ScheduleState {
  readonly isServed: boolean
  readonly paused?: SchedulePause
}

/** The state of a schedule, which changes with each evaluation. */
interface ScheduleState {
  readonly evaluatedUntilMs: number
  readonly bufferedAtMs?: number
  /** Its runs that have not ended, whether a process executes them or not. */
  readonly openRuns: readonly string[]
}

interface NewFire {
  readonly atMs: number
  readonly runId?: string | undefined
  readonly because?: NoFireReason | undefined
  readonly message?: string | undefined
  readonly startedBy?: Identity
}

/** A run that has not ended. */
export interface OpenRun {
  readonly id: string
  /** No process has claimed it yet. */
  readonly isQueued: boolean
}

type Row = Readonly<Record<string, unknown>>

export function readSchedule(database: DatabaseSyncInstance, id: string): ScheduleRow | undefined {
  const row = database.prepare('SELECT * FROM schedules WHERE id = ?').get(id)
  return row && readRow(row)
}

/** All schedules in the order of their ids, each with its last times. */
export function listSchedules(database: DatabaseSyncInstance, fires: number): readonly StoredSchedule[] {
  const missed = database.prepare(
    "SELECT count(*) AS count FROM schedule_fires WHERE schedule = ? AND because = 'missed'",
  )
  const rows = database.prepare('SELECT * FROM schedules ORDER BY id').all().map(readRow)
  return rows.map(({ evaluatedUntilMs, bufferedAtMs, openRuns, ...schedule }) => ({
    ...schedule,
    last: lastFires(database, schedule.id, fires),
    missed: Number(missed.get(schedule.id)?.['count']),
  }))
}

/** What came of its last times, the newest first. */
export function lastFires(database: DatabaseSyncInstance, id: string, most: number): readonly ScheduleFire[] {
  const select = database.prepare('SELECT * FROM schedule_fires WHERE schedule = ? ORDER BY at DESC LIMIT ?')
  return select.all(id, most).map(readFire)
}

/** Inserts new schedules. A schedule whose times have changed starts anew from now, and loses its waiting time. */
export function declareSchedules(
  database: DatabaseSyncInstance,
  schedules: readonly DeclaredSchedule[],
  nowMs: number,
): void {
  const insert = database.prepare(
    'INSERT INTO schedules (id, runbook, trigger_index, definition, evaluated_until) VALUES (?, ?, ?, ?, ?)',
  )
  const change = database.prepare(
    `UPDATE schedules SET runbook = ?, trigger_index = ?, definition = ?, evaluated_until = ?, buffered_at = NULL WHERE id = ?`,
  )
  // A waiting time of the old definition would otherwise never be decided.
  const closeWaiting = database.prepare(
    `UPDATE schedule_fires SET decided_at = ?, because = 'overlap',
       message = 'the times of the schedule were changed while it waited'
     WHERE schedule = ? AND because = 'waits' AND at IS NOT (SELECT buffered_at FROM schedules WHERE id = ?)`,
  )
  const move = database.prepare('UPDATE schedules SET trigger_index = ? WHERE id = ?')
  for (const { id, runbook, trigger, definition } of schedules) {
    const known = readSchedule(database, id)
    if (!known) insert.run(id, runbook, trigger, definition, nowMs)
    else if (known.definition !== definition) change.run(runbook, trigger, definition, nowMs, id)
    else if (known.trigger !== trigger) move.run(trigger, id)
    if (known) closeWaiting.run(nowMs, id, id)
  }
}

/** Marks these schedules, and no others, as evaluated by the process that serves. */
export function markServed(database: DatabaseSyncInstance, ids: readonly string[]): void {
  const serve = database.prepare('UPDATE schedules SET is_served = id IN (SELECT value FROM json_each(?))')
  serve.run(JSON.stringify(ids))
}

export function writeScheduleState(
  database: DatabaseSyncInstance,
  before: ScheduleRow,
  { evaluatedUntilMs, bufferedAtMs, openRuns }: ScheduleState,
): void {
  const text = JSON.stringify(openRuns)
  const isSame =
    evaluatedUntilMs === before.evaluatedUntilMs &&
    bufferedAtMs === before.bufferedAtMs &&
    text === JSON.stringify(before.openRuns)
  if (isSame) return
  database
    .prepare('UPDATE schedules SET evaluated_until = ?, buffered_at = ?, open_runs = ? WHERE id = ?')
    .run(evaluatedUntilMs, bufferedAtMs ?? null, text, before.id)
}

export function writeSchedulePause(
  database: DatabaseSyncInstance,
  id: string,
  wanted: SchedulePause | undefined,
  nowMs: number,
): boolean {
  const pause = database.prepare(
    'UPDATE schedules SET paused_by = ?, paused_at = ?, comment = ? WHERE id = ?',
  )
  const unpause = database.prepare(
    `UPDATE schedules SET evaluated_until = CASE WHEN paused_at IS NULL THEN evaluated_until ELSE ? END,
       paused_by = NULL, paused_at = NULL, comment = NULL WHERE id = ?`,
  )
  const { changes } = wanted
    ? pause.run(wanted.by ? JSON.stringify(wanted.by) : null, nowMs, wanted.comment ?? null, id)
    : unpause.run(nowMs, id)
  return Number(changes) > 0
}

export function removeSchedule(database: DatabaseSyncInstance, id: string): boolean {
  database.prepare('DELETE FROM schedule_fires WHERE schedule = ?').run(id)
  return Number(database.prepare('DELETE FROM schedules WHERE id = ?').run(id).changes) > 0
}

export function isTimeDecided(database: DatabaseSyncInstance, id: string, atMs: number): boolean {
  const decided = database.prepare(
    "SELECT 1 FROM schedule_fires WHERE schedule = ? AND at = ? AND because IS NOT 'missed'",
  )
  return decided.get(id, atMs) !== undefined
}

export function writeFire(
  database: DatabaseSyncInstance,
  id: string,
  nowMs: number,
  { atMs, runId, because, message, startedBy }: NewFire,
): void {
  const fire = database.prepare(
    `INSERT INTO schedule_fires (schedule, at, decided_at, run_id, because, message, started_by)
     VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET decided_at = excluded.decided_at, run_id = excluded.run_id,
       because = excluded.because, message = excluded.message, started_by = excluded.started_by`,
  )
  const by = startedBy ? JSON.stringify(startedBy) : null
  fire.run(id, atMs, nowMs, runId ?? null, because ?? null, message ?? null, by)
}

export function forgetFires(database: DatabaseSyncInstance, beforeMs: number): void {
  database.prepare('DELETE FROM schedule_fires WHERE at < ?').run(beforeMs)
}

/** Those of these runs that have not ended, in their order. */
export function stillOpen(database: DatabaseSyncInstance, runIds: readonly string[]): readonly OpenRun[] {
  if (runIds.length === 0) return []
  const open = database.prepare(
    `SELECT runs.id, runs.is_queued FROM json_each(?) AS wanted JOIN runs ON runs.id = wanted.value
     WHERE runs.status IN ('running', 'interrupted') ORDER BY wanted.key`,
  )
  return open
    .all(JSON.stringify(runIds))
    .map(({ id, is_queued }) => ({ id: String(id), isQueued: is_queued === 1 }))
}

/** Skips the times during a pause of all automatic starts. */
export function skipPause(database: DatabaseSyncInstance, nowMs: number): void {
  database.prepare('UPDATE schedules SET evaluated_until = max(evaluated_until, ?)').run(nowMs)
}

function readRow(row: Row): ScheduleRow {
  const { id, runbook, trigger_index, definition, evaluated_until, buffered_at, open_runs, is_served } = row
  const { paused_by, paused_at, comment } = row
  return {
    id: String(id),
    runbook: String(runbook),
    trigger: Number(trigger_index),
    definition: String(definition),
    isServed: is_served === 1,
    evaluatedUntilMs: Number(evaluated_until),
    ...(buffered_at === null ? {} : { bufferedAtMs: Number(buffered_at) }),
    openRuns: JSON.parse(String(open_runs)) as string[],
    ...(paused_at === null
      ? {}
      : {
          paused: {
            since: new Date(Number(paused_at)).toISOString(),
            ...(typeof paused_by === 'string' ? { by: JSON.parse(paused_by) as Identity } : {}),
            ...(typeof comment === 'string' ? { comment } : {}),
          },
        }),
  }
}

function readFire({ at, run_id, because, message, started_by }: Row): ScheduleFire {
  return {
    at: new Date(Number(at)).toISOString(),
    ...(typeof run_id === 'string' ? { run_id } : {}),
    ...(typeof because === 'string' ? { because: because as NoFireReason } : {}),
    ...(typeof message === 'string' ? { message } : {}),
    ...(typeof started_by === 'string' ? { started_by: JSON.parse(started_by) as Identity } : {}),
  }
}
