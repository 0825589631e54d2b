import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { grouped } from '../../../core/group.ts'
import type { RunSummary } from '../../../core/record/index.ts'
import type { Inbox, UnresolvedCall, WaitingRun } from '../../index.ts'
import { findUnresolvedCalls } from '../control/unresolved-calls.ts'
import { sql } from '../database/sql.ts'
import { readStoredRun } from '../tables/run-rows.ts'
import { type StatusOf, summaryColumns } from './live-status.ts'
import { readQuestionRecord, readSummaryRow } from './record-rows.ts'

/** More open questions, or more runs whose outcomes can be unknown, are not read. */
const most = 10_000

/**
 * The open questions and unresolved outcomes of a data directory. Both come from partial indexes: runs that wait for
 * no person are not read.
 */
export function readInbox(database: DatabaseSyncInstance, statusOf: StatusOf): Inbox {
  const asked = sql(database).all`
    SELECT * FROM questions WHERE status = 'open' AND superseded = 0 LIMIT ${most + 1}`
  const questions = grouped(
    asked.slice(0, most).map((row) => [String(row['run_id']), readQuestionRecord(row)]),
  )
  const open = sql(database).all`
    SELECT id FROM runs WHERE status IN ('running', 'unknown') AND is_queued IS NOT 1 LIMIT ${most + 1}`
  const ids = new Set([...questions.keys(), ...open.slice(0, most).map(({ id }) => String(id))])
  const runs = [...ids].flatMap((runId): readonly WaitingRun[] => {
    const row = sql(database).get`SELECT ${summaryColumns} FROM runs WHERE id = ${runId}`
    if (!row) return []
    const summary = readSummaryRow(row, statusOf(row))
    const found = { questions: questions.get(runId) ?? [], unresolved: unresolvedOf(database, summary) }
    return found.questions.length + found.unresolved.length === 0 ? [] : [{ ...summary, ...found }]
  })
  return { runs, unread: [], hasMore: asked.length > most || open.length > most }
}

/** A process that executes a run knows what becomes of its calls. */
function unresolvedOf(
  database: DatabaseSyncInstance,
  { run_id, status }: RunSummary,
): readonly UnresolvedCall[] {
  if (status !== 'unknown' && status !== 'interrupted') return []
  const run = readStoredRun(database, run_id)
  return run ? findUnresolvedCalls(database, run) : []
}
