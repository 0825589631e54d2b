import { createHash } from 'node:crypto'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { Words } from '../../../core/amend/amendment.ts'
import type { JsonObject } from '../../../core/json.ts'
import type { Plan } from '../../../core/plan.ts'
import type { Identity } from '../../../core/record/identity.ts'

/** One time that a run is carried on. */
export interface NewResume {
  readonly runId: string
  /** From 1. */
  readonly number: number
  readonly by: Identity
  readonly atMs: number
  /** What was said about steps; left out: nothing was amended. */
  readonly words?: Words
  /** The plan and the inputs until then, where they change. */
  readonly planIdBefore?: string
  readonly inputsBefore?: JsonObject
}

/** Records that a run is carried on; to be called in a transaction. */
export function insertResume(database: DatabaseSyncInstance, resume: NewResume): void {
  const { runId, number, by, atMs, words, planIdBefore, inputsBefore } = resume
  database
    .prepare(
      `INSERT INTO resumes (run_id, number, resumed_by, resumed_at, amendment, plan_id_before, inputs_before)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      runId,
      number,
      JSON.stringify(by),
      atMs,
      words ? JSON.stringify(words) : null,
      planIdBefore ?? null,
      inputsBefore ? JSON.stringify(inputsBefore) : null,
    )
}

/** What was said when the run was amended last. */
export function readLastWords(database: DatabaseSyncInstance, runId: string): Words | undefined {
  const row = database
    .prepare(
      `SELECT amendment FROM resumes WHERE run_id = ? AND amendment IS NOT NULL ORDER BY number DESC LIMIT 1`,
    )
    .get(runId)
  return row === undefined ? undefined : (JSON.parse(String(row['amendment'])) as Words)
}

/** The plans that a run has had before the one of today. */
export function readEarlierPlans(database: DatabaseSyncInstance, runId: string): readonly Plan[] {
  const rows = database
    .prepare(
      `SELECT plan FROM plans
       WHERE id IN (SELECT plan_id_before FROM resumes WHERE run_id = ? AND plan_id_before IS NOT NULL)`,
    )
    .all(runId)
  return rows.map((row) => JSON.parse(String(row['plan'])) as Plan)
}

/** Gives a run another plan; answers with the id of the one until then. To be called in a transaction. */
export function replacePlan(database: DatabaseSyncInstance, runId: string, plan: Plan): string {
  const text = JSON.stringify(plan)
  const planId = createHash('sha256').update(text).digest('hex')
  const before = database.prepare('SELECT plan_id FROM runs WHERE id = ?').get(runId)?.['plan_id']
  database.prepare('INSERT OR IGNORE INTO plans (id, plan) VALUES (?, ?)').run(planId, text)
  database
    .prepare('UPDATE runs SET plan_id = ?, plan_hash = ?, title = ?, labels = ? WHERE id = ?')
    .run(planId, plan.hash, plan.title ?? null, JSON.stringify(plan.labels ?? {}), runId)
  return String(before)
}

/** Gives a run other inputs; to be called in a transaction. */
export function replaceInputs(database: DatabaseSyncInstance, runId: string, inputs: JsonObject): void {
  database.prepare('UPDATE runs SET inputs = ? WHERE id = ?').run(JSON.stringify(inputs), runId)
}
