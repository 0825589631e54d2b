import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { ActionDescription } from '../../../core/action.ts'
import type { Identity } from '../../../core/events.ts'
import type { StepRecord } from '../../../core/record/index.ts'
import {
  applyChanges,
  type ChangedRecord,
  type ChosenWork,
  type CountingAttempt,
  previewResume,
  type ResumeComparison,
} from '../../../core/resume/index.ts'
import type { ErrorData } from '../../../core/run-error.ts'
import { type Row, sql } from '../database/sql.ts'
import { setFilesAside } from '../run/artifacts.ts'
import { readEvents } from '../tables/event-log.ts'
import type { StoredRun } from '../tables/run-rows.ts'
import { openReopenedRecord } from './reopened-record.ts'
import { insertResume, readLastOverrides, replaceInputs, replacePlan } from './resume-rows.ts'
import { readRefused, readReusableResults, setResultsAside } from './reusable-results.ts'

/** Who resumes a run with changes, and when. */
export interface ResumedBy {
  readonly by: Identity
  readonly atMs: number
  readonly actions: readonly ActionDescription[]
}

/** Applies the changes to the rows of a run. To be called in a transaction, which a preview rolls back. */
export function changeRows(
  database: DatabaseSyncInstance,
  run: StoredRun,
  work: ChosenWork,
  { by, atMs, actions }: ResumedBy,
): ResumeComparison {
  const { id, inputs, resumes } = run
  const number = resumes + 1
  const record = openChangedRecord(database, { id, resume: number, nowMs: atMs })
  const { comparison, isOtherPlan, isOtherInput } = applyChanges(run, work, record, actions)
  insertResume(database, {
    runId: id,
    number,
    by,
    atMs,
    overrides: work.overrides,
    ...(isOtherPlan ? { planIdBefore: replacePlan(database, id, work.plan) } : {}),
    ...(isOtherInput ? { inputsBefore: inputs } : {}),
  })
  if (isOtherInput) replaceInputs(database, id, work.inputs)
  return comparison
}

/** Previews a resume without changes. To be called in a transaction that is rolled back. */
export function previewRows(
  database: DatabaseSyncInstance,
  run: StoredRun,
  { atMs, actions }: Omit<ResumedBy, 'by'>,
): ResumeComparison {
  const { id, resumes } = run
  const record = openChangedRecord(database, { id, resume: resumes + 1, nowMs: atMs })
  return previewResume(run, readLastOverrides(database, id), record, actions)
}

/** The rows of a run that is resumed with changes; to be used in a transaction. */
function openChangedRecord(
  database: DatabaseSyncInstance,
  run: { readonly id: string; readonly resume: number; readonly nowMs: number },
): ChangedRecord {
  const { id, resume } = run
  const pathsOf = (rows: readonly Row[]): readonly string[] => rows.map(({ path }) => String(path))
  return {
    counting: () => readCounting(database, id),
    steps: () => readStepsBefore(database, id),
    *events() {
      for (const { event } of readEvents(database, id)) yield event
    },
    reopened: () => openReopenedRecord(database, run),
    setAside() {
      setResultsAside(database, id, resume)
      setFilesAside(database, id)
      sql(database).run`DELETE FROM steps WHERE run_id = ${id}`
    },
    reusables: () => [...readReusableResults(database, id), ...readRefused(database, id)],
    reached: () =>
      pathsOf(sql(database).all`
        SELECT path FROM first_reached WHERE run_id = ${id} AND path NOT IN (SELECT path FROM questions
          WHERE run_id = ${id} AND superseded = 0 AND status IN ('open', 'withdrawn'))`),
    // A path with a blank is a reset time limit, not a step.
    places: () =>
      pathsOf(sql(database).all`
        SELECT path FROM first_reached WHERE run_id = ${id} AND instr(path, ' ') = 0
        UNION SELECT path FROM questions WHERE run_id = ${id}`),
    forgetPlace(path) {
      sql(database).run`DELETE FROM first_reached WHERE run_id = ${id} AND path = ${path}`
      sql(database).run`
        UPDATE questions SET superseded = ${resume} WHERE run_id = ${id} AND path = ${path}
          AND superseded = 0`
    },
  }
}

function readStepsBefore(database: DatabaseSyncInstance, runId: string): ReturnType<ChangedRecord['steps']> {
  const rows = sql(database).all`
    SELECT path, status, error, coalesce(details ->> '$.is_warning', 0) AS is_warning
    FROM steps WHERE run_id = ${runId} ORDER BY position`
  return rows.map(({ path, status, error, is_warning: isWarning }) => ({
    path: String(path),
    status: status as StepRecord['status'],
    ...(typeof error === 'string' ? { error: JSON.parse(error) as ErrorData } : {}),
    ...(isWarning ? { is_warning: true } : {}),
  }))
}

function readCounting(database: DatabaseSyncInstance, runId: string): readonly CountingAttempt[] {
  const rows = sql(database).all`
    SELECT path, action, ended_at, error FROM attempts WHERE run_id = ${runId} AND superseded = 0
    ORDER BY id`
  return rows.map(({ path, action, ended_at: endedAt, error }) => ({
    path: String(path),
    action: String(action),
    isDone: endedAt !== null && error === null,
    ...(typeof error === 'string' ? { error: JSON.parse(error) as ErrorData } : {}),
  }))
}
