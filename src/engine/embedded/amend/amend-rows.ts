import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { ActionDescription } from '../../../core/action.ts'
import { amendRun } from '../../../core/amend/amend-run.ts'
import type { ChosenWork } from '../../../core/amend/choose-work.ts'
import type { ResumeComparison } from '../../../core/amend/resume-comparison.ts'
import type { Identity } from '../../../core/record/identity.ts'
import type { StoredRun } from '../run-rows.ts'
import { openAmendedRecord } from './amended-record.ts'
import { insertResume, replaceInputs, replacePlan } from './resume-rows.ts'

/** Who amends a run, and when. */
export interface Amending {
  readonly by: Identity
  readonly atMs: number
  readonly actions: readonly ActionDescription[]
}

/** Amends a run in its database. To be called in a transaction, which is undone where somebody only wants to know. */
export function amendRows(
  database: DatabaseSyncInstance,
  run: StoredRun,
  work: ChosenWork,
  { by, atMs, actions }: Amending,
): ResumeComparison {
  const { id, inputs, resumes } = run
  const number = resumes + 1
  const record = openAmendedRecord(database, { id, resume: number, nowMs: atMs })
  const { comparison, isOtherPlan, isOtherInput } = amendRun(run, work, record, actions)
  insertResume(database, {
    runId: id,
    number,
    by,
    atMs,
    words: work.words,
    ...(isOtherPlan ? { planIdBefore: replacePlan(database, id, work.plan) } : {}),
    ...(isOtherInput ? { inputsBefore: inputs } : {}),
  })
  if (isOtherInput) replaceInputs(database, id, work.inputs)
  return comparison
}
