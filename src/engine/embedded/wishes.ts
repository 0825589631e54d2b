import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { Identity } from '../../core/record/identity.ts'
import type { Wish, WishKind } from '../../core/record/wish.ts'

/** A wish as the table has it. */
export interface WishRow extends Wish {
  readonly id: number
  /** The process that carries the run out has seen it. */
  readonly isTaken: boolean
}

/** The wishes for one run that still count, in the order in which they were made. */
export interface WishRows {
  read(): readonly WishRow[]
  readNew(): readonly WishRow[]
  /** Adds one and answers with its id. */
  add(wish: Wish, nowMs: number): number
  /** Whether it was still there to be taken: whoever made it may have withdrawn it, and gone another way. */
  take(id: number, nowMs: number): boolean
  /** It stays in the record, and counts no more. */
  close(id: number, nowMs: number): void
}

export function openWishRows(database: DatabaseSyncInstance, runId: string): WishRows {
  const columns = 'SELECT id, kind, wished_by, comment, taken_at FROM wishes'
  const open = 'run_id = ? AND over_at IS NULL'
  const selectAll = database.prepare(`${columns} WHERE ${open} ORDER BY id`)
  const selectNew = database.prepare(`${columns} WHERE ${open} AND taken_at IS NULL ORDER BY id`)
  const insert = database.prepare(
    'INSERT INTO wishes (run_id, kind, wished_by, comment, wished_at) VALUES (?, ?, ?, ?, ?)',
  )
  const update = database.prepare('UPDATE wishes SET taken_at = ? WHERE id = ?')
  const end = database.prepare('UPDATE wishes SET over_at = ? WHERE id = ?')
  return {
    read: () => selectAll.all(runId).map(readWishRow),
    readNew: () => selectNew.all(runId).map(readWishRow),
    add: ({ kind, by, comment }, nowMs) =>
      Number(insert.run(runId, kind, JSON.stringify(by), comment ?? null, nowMs).lastInsertRowid),
    take: (id, nowMs) => Number(update.run(nowMs, id).changes) > 0,
    close(id, nowMs) {
      end.run(nowMs, id)
    },
  }
}

/** Nothing that was wanted of the run until now counts any more; to be called in a transaction. */
export function closeWishes(database: DatabaseSyncInstance, runId: string, nowMs: number): void {
  database.prepare('UPDATE wishes SET over_at = ? WHERE run_id = ? AND over_at IS NULL').run(nowMs, runId)
}

function readWishRow(row: Readonly<Record<string, unknown>>): WishRow {
  const { id, kind, wished_by, comment, taken_at } = row
  return {
    id: Number(id),
    kind: kind as WishKind,
    by: JSON.parse(String(wished_by)) as Identity,
    ...(typeof comment === 'string' ? { comment } : {}),
    isTaken: taken_at !== null,
  }
}
