import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { Identity } from '../../../core/events.ts'
import type { JsonObject } from '../../../core/json.ts'
import type { Plan } from '../../../core/plan/index.ts'
import type { Overrides } from '../../../core/resume/index.ts'
import { sql, toJson } from '../database/sql.ts'
import { insertPlan } from '../tables/run-rows.ts'

/** A resume to record. */
export interface NewResume {
  readonly runId: string
  /** The first resume has the number 1. */
  readonly number: number
  readonly by: Identity
  readonly atMs: number
  /** The decisions of the user about steps. Left out: nothing was changed. */
  readonly overrides?: Overrides
  /** The plan and the inputs before, if they changed. */
  readonly planIdBefore?: string
  readonly inputsBefore?: JsonObject
}

/** Records a resume; to be called in a transaction. */
export function insertResume(database: DatabaseSyncInstance, resume: NewResume): void {
  const { runId, number, by, atMs, overrides, planIdBefore, inputsBefore } = resume
  sql(database).run`
    INSERT INTO resumes (run_id, number, resumed_by, resumed_at, changes, plan_id_before, inputs_before)
    VALUES (${runId}, ${number}, ${JSON.stringify(by)}, ${atMs}, ${toJson(overrides)}, ${planIdBefore},
      ${toJson(inputsBefore)})`
}

/** The decisions of the user in the last resume with changes. */
export function readLastOverrides(database: DatabaseSyncInstance, runId: string): Overrides | undefined {
  const row = sql(database).get`
    SELECT changes FROM resumes WHERE run_id = ${runId} AND changes IS NOT NULL 
    ORDER BY number DESC LIMIT 1`
  return row === undefined ? undefined : (JSON.parse(String(row['changes'])) as Overrides)
}

/** The earlier plans of a run. */
export function readEarlierPlans(database: DatabaseSyncInstance, runId: string): readonly Plan[] {
  const rows = sql(database).all`
    SELECT plan FROM plans
    WHERE id IN (SELECT plan_id_before FROM resumes WHERE run_id = ${runId} 
      AND plan_id_before IS NOT NULL)`
  return rows.map((row) => JSON.parse(String(row['plan'])) as Plan)
}

/** Replaces the plan of a run, and returns the id of the previous one; to be called in a transaction. */
export function replacePlan(database: DatabaseSyncInstance, runId: string, plan: Plan): string {
  const planId = insertPlan(database, plan)
  const before = sql(database).get`SELECT plan_id FROM runs WHERE id = ${runId}`?.['plan_id']
  sql(database).run`
    UPDATE runs SET plan_id = ${planId}, plan_hash = ${plan.hash}, title = ${plan.title},
      labels = ${JSON.stringify(plan.labels ?? {})} WHERE id = ${runId}`
  return String(before)
}

/** Replaces the inputs of a run; to be called in a transaction. */
export function replaceInputs(database: DatabaseSyncInstance, runId: string, inputs: JsonObject): void {
  sql(database).run`UPDATE runs SET inputs = ${JSON.stringify(inputs)} WHERE id = ${runId}`
}
