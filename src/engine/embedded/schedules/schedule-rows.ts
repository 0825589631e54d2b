import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { Identity } from '../../../core/events.ts'
import type { NoFireReason, ScheduleFire, SchedulePause } from '../../../core/triggers/index.ts'
import { type Row, sql, toJson } from '../database/sql.ts'

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

export function readSchedule(database: DatabaseSyncInstance, id: string): ScheduleRow | undefined {
  const row = sql(database).get`SELECT * FROM schedules WHERE id = ${id}`
  return row && readRow(row)
}

/** All schedules in the order of their ids, each with its last times. */
export function listSchedules(database: DatabaseSyncInstance, fires: number): readonly StoredSchedule[] {
  const rows = sql(database).all`SELECT * FROM schedules ORDER BY id`.map(readRow)
  const missedOf = (id: string): Row | undefined => sql(database).get`
    SELECT count(*) AS count FROM schedule_fires WHERE schedule = ${id} AND because = 'missed'`
  return rows.map(({ evaluatedUntilMs, bufferedAtMs, openRuns, ...schedule }) => ({
    ...schedule,
    last: lastFires(database, schedule.id, fires),
    missed: Number(missedOf(schedule.id)?.['count']),
  }))
}

/** What came of its last times, the newest first. */
export function lastFires(database: DatabaseSyncInstance, id: string, most: number): readonly ScheduleFire[] {
  return sql(database).all`
    SELECT * FROM schedule_fires WHERE schedule = ${id} ORDER BY at DESC LIMIT ${most}`.map(readFire)
}

/** Inserts new schedules. A schedule whose times have changed starts anew from now, and loses its waiting time. */
export function declareSchedules(
  database: DatabaseSyncInstance,
  schedules: readonly DeclaredSchedule[],
  nowMs: number,
): void {
  for (const { id, runbook, trigger, definition } of schedules) {
    const known = readSchedule(database, id)
    if (!known)
      sql(database).run`
        INSERT INTO schedules (id, runbook, trigger_index, definition, evaluated_until)
        VALUES (${id}, ${runbook}, ${trigger}, ${definition}, ${nowMs})`
    else if (known.definition !== definition)
      sql(database).run`
        UPDATE schedules SET runbook = ${runbook}, trigger_index = ${trigger}, definition = ${definition},
          evaluated_until = ${nowMs}, buffered_at = NULL WHERE id = ${id}`
    else if (known.trigger !== trigger)
      sql(database).run`UPDATE schedules SET trigger_index = ${trigger} WHERE id = ${id}`
    // A waiting time of the old definition would otherwise never be decided.
    if (known)
      sql(database).run`
        UPDATE schedule_fires SET decided_at = ${nowMs}, because = 'overlap',
          message = 'the times of the schedule were changed while it waited'
        WHERE schedule = ${id} AND because = 'waits'
          AND at IS NOT (SELECT buffered_at FROM schedules WHERE id = ${id})`
  }
}

/** Marks these schedules, and no others, as evaluated by the process that serves. */
export function markServed(database: DatabaseSyncInstance, ids: readonly string[]): void {
  sql(database).run`
    UPDATE schedules SET is_served = id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`
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
  sql(database).run`
    UPDATE schedules SET evaluated_until = ${evaluatedUntilMs}, buffered_at = ${bufferedAtMs},
      open_runs = ${text} WHERE id = ${before.id}`
}

export function writeSchedulePause(
  database: DatabaseSyncInstance,
  id: string,
  wanted: SchedulePause | undefined,
  nowMs: number,
): boolean {
  const rows = wanted
    ? sql(database).run`
        UPDATE schedules SET paused_by = ${toJson(wanted.by)}, paused_at = ${nowMs}, comment = ${wanted.comment}
        WHERE id = ${id}`
    : sql(database).run`
        UPDATE schedules SET paused_by = NULL, paused_at = NULL, comment = NULL,
          evaluated_until = CASE WHEN paused_at IS NULL THEN evaluated_until ELSE ${nowMs} END WHERE id = ${id}`
  return rows > 0
}

export function removeSchedule(database: DatabaseSyncInstance, id: string): boolean {
  sql(database).run`DELETE FROM schedule_fires WHERE schedule = ${id}`
  return sql(database).run`DELETE FROM schedules WHERE id = ${id}` > 0
}

export function isTimeDecided(database: DatabaseSyncInstance, id: string, atMs: number): boolean {
  const decided = sql(database).get`
    SELECT 1 FROM schedule_fires WHERE schedule = ${id} AND at = ${atMs} AND because IS NOT 'missed'`
  return decided !== undefined
}

export function writeFire(
  database: DatabaseSyncInstance,
  id: string,
  nowMs: number,
  { atMs, runId, because, message, startedBy }: NewFire,
): void {
  sql(database).run`
    INSERT INTO schedule_fires (schedule, at, decided_at, run_id, because, message, started_by)
    VALUES (${id}, ${atMs}, ${nowMs}, ${runId}, ${because}, ${message}, ${toJson(startedBy)})
    ON CONFLICT DO UPDATE SET decided_at = excluded.decided_at, run_id = excluded.run_id,
      because = excluded.because, message = excluded.message, started_by = excluded.started_by`
}

export function forgetFires(database: DatabaseSyncInstance, beforeMs: number): void {
  sql(database).run`DELETE FROM schedule_fires WHERE at < ${beforeMs}`
}

/** Those of these runs that have not ended, in their order. */
export function stillOpen(database: DatabaseSyncInstance, runIds: readonly string[]): readonly OpenRun[] {
  if (runIds.length === 0) return []
  const open = sql(database).all`
    SELECT runs.id, runs.is_queued FROM json_each(${JSON.stringify(runIds)}) AS wanted
    JOIN runs ON runs.id = wanted.value
    WHERE runs.status IN ('running', 'interrupted') ORDER BY wanted.key`
  return open.map(({ id, is_queued }) => ({ id: String(id), isQueued: is_queued === 1 }))
}

/** Skips the times during a pause of all automatic starts. */
export function skipPause(database: DatabaseSyncInstance, nowMs: number): void {
  sql(database).run`UPDATE schedules SET evaluated_until = max(evaluated_until, ${nowMs})`
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
