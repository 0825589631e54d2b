import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { ControlKind, ControlRequest } from '../../core/record/control-request.ts'
import type { Identity } from '../../core/record/identity.ts'

/** A control request as the table has it. */
export interface ControlRequestRow extends ControlRequest {
  readonly id: number
  /** The process that carries the run out has seen it. */
  readonly isTaken: boolean
}

/** The control requests for one run that still count, in the order in which they were made. */
export interface ControlRequestRows {
  read(): readonly ControlRequestRow[]
  readNew(): readonly ControlRequestRow[]
  /** Adds one and answers with its id. */
  add(controlRequest: ControlRequest, nowMs: number): number
  /** Whether it was still there to be taken: whoever made it may have withdrawn it, and gone another way. */
  take(id: number, nowMs: number): boolean
  /** It stays in the record, and counts no more. */
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

/** Nothing that was wanted of the run until now counts any more; to be called in a transaction. */
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
  }
}
