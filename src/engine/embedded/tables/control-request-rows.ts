import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { Identity } from '../../../core/events.ts'
import type { ControlKind, ControlRequest } from '../../../core/record/index.ts'
import { type Row, sql } from '../database/sql.ts'

/** A recorded control request. */
export interface ControlRequestRow extends ControlRequest {
  readonly id: number
  /** The process that executes the run has claimed it. */
  readonly isTaken: boolean
  readonly takenAtMs?: number
}

/** The control requests of one run that still count, oldest first. */
export interface ControlRequestRows {
  read(): readonly ControlRequestRow[]
  readNew(): readonly ControlRequestRow[]
  /** Adds a request, and returns its id. */
  add(controlRequest: ControlRequest, nowMs: number): number
  /** Marks a request as claimed. False: the requesting process has withdrawn it. */
  take(id: number, nowMs: number): boolean
  /** Closes a request: it stays on record, and no longer counts. */
  close(id: number, nowMs: number): void
}

export function openControlRequestRows(database: DatabaseSyncInstance, runId: string): ControlRequestRows {
  const read = (): readonly ControlRequestRow[] =>
    sql(database).all`
      SELECT * FROM control_requests WHERE run_id = ${runId} AND over_at IS NULL ORDER BY id`.map(
      readControlRequestRow,
    )
  return {
    read,
    readNew: () => read().filter(({ isTaken }) => !isTaken),
    add({ kind, by, comment }, nowMs) {
      const row = sql(database).get`
        INSERT INTO control_requests (run_id, kind, requested_by, comment, requested_at)
        VALUES (${runId}, ${kind}, ${JSON.stringify(by)}, ${comment}, ${nowMs}) RETURNING id`
      return Number(row?.['id'])
    },
    take: (id, nowMs) =>
      sql(database).run`UPDATE control_requests SET taken_at = ${nowMs} WHERE id = ${id}` > 0,
    close: (id, nowMs) =>
      void sql(database).run`
      UPDATE control_requests SET over_at = ${nowMs} WHERE id = ${id}`,
  }
}

/** Closes all requests of a run; to be called in a transaction. */
export function closeControlRequests(database: DatabaseSyncInstance, runId: string, nowMs: number): void {
  sql(database).run`
    UPDATE control_requests SET over_at = ${nowMs} WHERE run_id = ${runId} AND over_at IS NULL`
}

function readControlRequestRow({ id, kind, requested_by, comment, taken_at }: Row): ControlRequestRow {
  return {
    id: Number(id),
    kind: kind as ControlKind,
    by: JSON.parse(String(requested_by)) as Identity,
    ...(typeof comment === 'string' ? { comment } : {}),
    isTaken: taken_at !== null,
    ...(taken_at === null ? {} : { takenAtMs: Number(taken_at) }),
  }
}
