import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { Identity } from '../../../core/events.ts'
import type { ControlKind, ControlRequest } from '../../../core/record/index.ts'

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
  const columns = 'SELECT id, kind, requested_by, comment, taken_at FROM control_requests'
  const open = 'run_id = ? AND over_at IS NULL'
  const selectAll = database.prepare(`${columns} WHERE ${open} ORDER BY id`)
  const selectNew = database.prepare(`${columns} WHERE ${open} AND taken_at IS NULL ORDER BY id`)
  const insert = database.prepare(
    'INSERT INTO control_requests (run_id, kind, requested_by, comment, requested_at) VALUES (?, ?, ?, ?, ?)',
  )
  const update = database.prepare('UPDATE control_requests SET taken_at = ? WHERE id = ?')
  const end = database.prepare('UPDATE control_requests SET over_at = ? WHERE id = ?')
  return {
    read: () => selectAll.all(runId).map(readControlRequestRow),
    readNew: () => selectNew.all(runId).map(readControlRequestRow),
    add: ({ kind, by, comment }, nowMs) =>
      Number(insert.run(runId, kind, JSON.stringify(by), comment ?? null, nowMs).lastInsertRowid),
    take: (id, nowMs) => Number(update.run(nowMs, id).changes) > 0,
    close(id, nowMs) {
      end.run(nowMs, id)
    },
  }
}

/** Closes all requests of a run; to be called in a transaction. */
export function closeControlRequests(database: DatabaseSyncInstance, runId: string, nowMs: number): void {
  database
    .prepare('UPDATE control_requests SET over_at = ? WHERE run_id = ? AND over_at IS NULL')
    .run(nowMs, runId)
}

function readControlRequestRow(row: Readonly<Record<string, unknown>>): ControlRequestRow {
  const { id, kind, requested_by, comment, taken_at } = row
  return {
    id: Number(id),
    kind: kind as ControlKind,
    by: JSON.parse(String(requested_by)) as Identity,
    ...(typeof comment === 'string' ? { comment } : {}),
    isTaken: taken_at !== null,
    ...(taken_at === null ? {} : { takenAtMs: Number(taken_at) }),
  }
}
