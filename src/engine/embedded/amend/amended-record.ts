import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { AmendedRecord } from '../../../core/amend/amend-run.ts'
import type { UnsettledAttempt } from '../../../core/amend/refuse-undecided.ts'
import type { ErrorData } from '../../../core/run-error.ts'
import { setFilesAside } from '../artifacts.ts'
import { openReopenedRecord } from '../reopened-record.ts'
import { readRefused, readSeeds, setSeedsAside } from './seed-rows.ts'

/** What the database holds of a run that is amended; to be used in a transaction. */
export function openAmendedRecord(
  database: DatabaseSyncInstance,
  run: { readonly id: string; readonly resume: number; readonly nowMs: number },
): AmendedRecord {
  const { id, resume } = run
  const removeMark = database.prepare('DELETE FROM marks WHERE run_id = ? AND path = ?')
  const closeQuestion = database.prepare(
    'UPDATE questions SET superseded = ? WHERE run_id = ? AND path = ? AND superseded = 0',
  )
  const paths = (sql: string): readonly string[] =>
    database
      .prepare(sql)
      .all(id)
      .map((row) => String(row['path']))
  return {
    unsettled: () => readUnsettled(database, id),
    steps: () => ({
      skipped: paths(
        "SELECT path FROM steps WHERE run_id = ? AND status = 'skipped' AND instr(path, '[') = 0",
      ),
      endedWell: paths("SELECT path FROM steps WHERE run_id = ? AND status = 'succeeded'"),
    }),
    reopened: () => openReopenedRecord(database, run),
    setAside() {
      setSeedsAside(database, id, resume)
      setFilesAside(database, id)
      database.prepare('DELETE FROM steps WHERE run_id = ?').run(id)
    },
    seeds: () => [...readSeeds(database, id), ...readRefused(database, id)],
    reached: () =>
      paths(
        `SELECT path FROM marks WHERE run_id = ?1 AND path NOT IN (
           SELECT path FROM questions WHERE run_id = ?1 AND superseded = 0 AND status IN ('open', 'withdrawn'))`,
      ),
    // That a place has its time anew is no place.
    places: () =>
      paths(
        `SELECT path FROM marks WHERE run_id = ?1 AND instr(path, ' ') = 0
         UNION SELECT path FROM questions WHERE run_id = ?1`,
      ),
    forgetPlace(path) {
      removeMark.run(id, path)
      closeQuestion.run(resume, id, path)
    },
  }
}

function readUnsettled(database: DatabaseSyncInstance, runId: string): readonly UnsettledAttempt[] {
  const rows = database
    .prepare(
      `SELECT path, error FROM attempts
       WHERE run_id = ? AND superseded = 0 AND (ended_at IS NULL OR error IS NOT NULL) ORDER BY id`,
    )
    .all(runId)
  return rows.map(({ path, error }) => ({
    path: String(path),
    ...(typeof error === 'string' ? { error: JSON.parse(error) as ErrorData } : {}),
  }))
}
