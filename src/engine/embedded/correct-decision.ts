import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { goneOn } from '../../core/record/gone-on.ts'
import type { Identity } from '../../core/record/identity.ts'
import { createPlanIndex } from '../../core/record/plan-index.ts'
import type { Decision } from './decision-rows.ts'
import type { StoredRun } from './run-rows.ts'

/** What somebody has decided of a call. */
interface Decided {
  readonly id: number
  readonly path: string
  readonly step: string
  readonly decision: Decision
  readonly by: Identity
  readonly at: string
  /** What the attempt had come to until then, as JSON; left out: its process had ended before that was known. */
  readonly errorText?: string
  /** How often the run had been carried on by then; left out where an older version has recorded it. */
  readonly resumes?: number
}

/**
 * Takes back the last decision about a step, so that another one can be made: the call is in doubt as it was. The
 * decision stays on record. Does nothing where there was none. To be called in a transaction, by the owner of the run.
 *
 * Throws `InvalidInput` once the run has used it: a call that was begun since, or a question, cannot be taken back.
 */
export function takeBackDecision(database: DatabaseSyncInstance, run: StoredRun, step: string): void {
  const decided = findDecided(database, run, step)
  if (!decided) return
  const hasGoneOn = decided.resumes !== run.resumes && isUsed(database, run.id, decided)
  if (hasGoneOn || run.status === 'succeeded' || run.status === 'cancelled')
    throw goneOn(run.id, run.status, decided, decided.step)
  if (decided.decision === 'retry') {
    database
      .prepare('UPDATE attempts SET superseded = 0 WHERE run_id = ? AND path = ? AND superseded = ?')
      .run(run.id, decided.path, -decided.id)
    return
  }
  database
    .prepare(
      // What nobody had seen the end of has none again.
      `UPDATE attempts SET output = NULL, error = ?1, ended_at = iif(?1 IS NULL, NULL, ended_at),
         waited = iif(?1 IS NULL, NULL, waited), ended_place = iif(?1 IS NULL, NULL, ended_place)
       WHERE run_id = ?2 AND path = ?3 AND superseded = 0 AND attempt = (
         SELECT max(attempt) FROM attempts WHERE run_id = ?2 AND path = ?3 AND superseded = 0)`,
    )
    .run(decided.errorText ?? null, run.id, decided.path)
}

/** Whether anything was begun after the decision that others can have seen. */
function isUsed(database: DatabaseSyncInstance, runId: string, { at }: Decided): boolean {
  const since = Date.parse(at)
  return (
    database
      .prepare(
        `SELECT 1 FROM attempts WHERE run_id = ?1 AND started_at >= ?2
         UNION ALL SELECT 1 FROM questions WHERE run_id = ?1 AND asked_at >= ?2 LIMIT 1`,
      )
      .get(runId, since) !== undefined
  )
}

/** The last one about the step, by the path of the call or, where only one call of it was decided, by its id. */
function findDecided(database: DatabaseSyncInstance, run: StoredRun, step: string): Decided | undefined {
  const index = createPlanIndex(run.plan)
  const rows = database
    .prepare("SELECT * FROM decisions WHERE run_id = ? AND decision <> 'cancelled' ORDER BY id")
    .all(run.id) as Readonly<Record<string, unknown>>[]
  const last = new Map(
    rows.map((row) => {
      const path = String(row['path'])
      return [path, readDecided(row, path, index.ownerOf(path)?.step.id ?? path)] as const
    }),
  )
  const exact = last.get(step)
  if (exact) return exact
  const [only, ...others] = [...last.values()].filter((decided) => decided.step === step)
  return others.length === 0 ? only : undefined
}

function readDecided(row: Readonly<Record<string, unknown>>, path: string, step: string): Decided {
  const { id, decision, decided_by, decided_at, error, resumes } = row
  return {
    id: Number(id),
    path,
    step,
    decision: decision as Decision,
    by: JSON.parse(String(decided_by)) as Identity,
    at: new Date(Number(decided_at)).toISOString(),
    ...(typeof error === 'string' ? { errorText: error } : {}),
    ...(resumes === null ? {} : { resumes: Number(resumes) }),
  }
}
