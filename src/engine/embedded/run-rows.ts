import { createHash } from 'node:crypto'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { RunStatus } from '../../core/events.ts'
import type { RunOutcome } from '../../core/interpret.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Plan } from '../../core/plan.ts'
import type { StartedFrom } from '../../core/triggers/event-record.ts'
import { systemIdentity } from '../record/system-user.ts'
import { closeControlRequests } from './control-request-rows.ts'
import { asUnowned, type RunScope, type UnownedRun, unownedColumns } from './run-scope.ts'

/** A run that is about to begin. */
export interface NewRun {
  readonly id: string
  readonly key?: string
  readonly plan: Plan
  readonly inputs: JsonObject
  readonly connection?: string
  readonly startedAtMs: number
  /** See `fileNumber`. */
  readonly fileNumber: string
  /** What started it, where no person did. */
  readonly startedFrom?: StartedFrom
  /** Every question of it is answered with yes. */
  readonly approvesAll?: boolean
  /** Left out: it belongs to nobody, and no process continues it automatically. */
  readonly scope?: RunScope
  /** Nobody carries it out yet: it waits to be taken up. */
  readonly isWaiting?: boolean
}

/** What is needed to carry a run on. */
export interface StoredRun {
  readonly id: string
  readonly status: RunStatus | 'running'
  readonly plan: Plan
  readonly inputs: JsonObject
  readonly connection?: string
  readonly startedAtMs: number
  /** How often it has been carried on already. */
  readonly resumes: number
  /** Of the database that it was carried out in last. */
  readonly fileNumber: string | undefined
  /** The process that carried it out last, for people. */
  readonly owner: string | undefined
  /** Every question of it is answered with yes. */
  readonly approvesAll: boolean
}

/** Records a run that begins now; to be called in a transaction. */
export function insertRun(database: DatabaseSyncInstance, run: NewRun): void {
  const { id, key, plan, inputs, connection, startedAtMs, fileNumber, startedFrom, approvesAll } = run
  const { text, planId } = writtenPlan(plan)
  database.prepare('INSERT OR IGNORE INTO plans (id, plan) VALUES (?, ?)').run(planId, text)
  database
    .prepare(
      `INSERT INTO runs (id, key, runbook, title, labels, connection, status, started_at, started_by,
          owner, file_number, plan_hash, plan_id, inputs, started_from, approves_all, waits,
          project, service)
       VALUES (?, ?, ?, ?, ?, ?, 'running', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      id,
      key ?? null,
      plan.name,
      plan.title ?? null,
      JSON.stringify(plan.labels ?? {}),
      connection ?? null,
      startedAtMs,
      JSON.stringify(systemIdentity()),
      run.isWaiting ? null : ownerName(),
      fileNumber,
      plan.hash,
      planId,
      JSON.stringify(inputs),
      startedFrom === undefined ? null : JSON.stringify(startedFrom),
      approvesAll ? 1 : null,
      run.isWaiting ? 1 : null,
      run.scope?.project ?? null,
      run.scope?.service ?? null,
    )
}

interface WrittenPlan {
  readonly text: string
  readonly planId: string
}

const writtenPlans = new WeakMap<Plan, WrittenPlan>()

/** Events start the same plan again and again. */
function writtenPlan(plan: Plan): WrittenPlan {
  const known = writtenPlans.get(plan)
  if (known) return known
  const text = JSON.stringify(plan)
  const written = { text, planId: createHash('sha256').update(text).digest('hex') }
  writtenPlans.set(plan, written)
  return written
}

/** The key that a run which waits will go on for. */
export function nameKey(database: DatabaseSyncInstance, runId: string, key: string): void {
  database.prepare('UPDATE runs SET concurrency_key = ? WHERE id = ?').run(key, runId)
}

/**
 * So many runs that wait to be taken up, in the order in which they came: those that the caller accepts, without those of
 * a concurrency key of `before`.
 */
export function listWaiting(
  database: DatabaseSyncInstance,
  limit: number,
  before: readonly string[],
  accept: (run: UnownedRun) => boolean,
): readonly string[] {
  const waiting = database.prepare(
    `SELECT ${unownedColumns} FROM runs WHERE waits = 1 AND NOT EXISTS (
       SELECT 1 FROM json_each(?) AS listed JOIN runs AS one ON one.id = listed.value
       WHERE one.runbook = runs.runbook AND one.concurrency_key = runs.concurrency_key)
     ORDER BY started_at, rowid`,
  )
  const accepted: string[] = []
  for (const row of waiting.iterate(JSON.stringify(before))) {
    if (accepted.length >= limit) break
    const run = asUnowned(row as Readonly<Record<string, unknown>>)
    if (accept(run)) accepted.push(run.id)
  }
  return accepted
}

/** Says that this process carries out a run that waited; false where it does not wait. */
export function takeUp(database: DatabaseSyncInstance, runId: string): boolean {
  const { changes } = database
    .prepare("UPDATE runs SET owner = ?, waits = NULL WHERE id = ? AND status = 'running' AND waits = 1")
    .run(ownerName(), runId)
  return Number(changes) === 1
}

/** Says that this process carries the run on, and what it belongs to now; to be called in a transaction. */
export function reopenRun(
  database: DatabaseSyncInstance,
  runId: string,
  fileNumber: string,
  scope: RunScope | undefined,
): void {
  if (scope)
    database
      .prepare('UPDATE runs SET project = ?, service = ? WHERE id = ?')
      .run(scope.project, scope.service ?? null, runId)
  database
    .prepare(
      `UPDATE runs SET status = 'running', ended_at = NULL, error = NULL, warnings = NULL, outputs = NULL,
         owner = ?, file_number = ?, waits = NULL, is_stopped = 0, resumes = resumes + 1
       WHERE id = ?`,
    )
    .run(ownerName(), fileNumber, runId)
}

/** Its steps that nobody was sure of are open again; to be called in a transaction, once they are settled. */
export function reopenUnknown(database: DatabaseSyncInstance, runId: string): void {
  database
    .prepare(
      `UPDATE steps SET status = 'pending', error = NULL, ended_at = NULL WHERE run_id = ? AND status = 'unknown'`,
    )
    .run(runId)
}

/** Records that a person has stopped the run, and that only a person continues it; to be called in a transaction. */
export function recordStop(database: DatabaseSyncInstance, runId: string): void {
  database.prepare('UPDATE runs SET is_stopped = 1 WHERE id = ?').run(runId)
}

/** Says how the run ended; to be called in a transaction. */
export function endRun(
  database: DatabaseSyncInstance,
  runId: string,
  { status, outputs, error, warnings, warnings_left_out }: RunOutcome,
  endedAtMs: number,
): void {
  // A list is all of them.
  const passed = warnings_left_out === undefined ? warnings : { warnings, warnings_left_out }
  const json = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value))
  database
    .prepare(
      'UPDATE runs SET status = ?, outputs = ?, error = ?, warnings = ?, ended_at = ?, waits = NULL WHERE id = ?',
    )
    .run(status, json(outputs), json(error), json(passed), endedAtMs, runId)
  if (status !== 'unknown' && status !== 'interrupted') closeControlRequests(database, runId, endedAtMs)
}

export function readStoredRun(database: DatabaseSyncInstance, runId: string): StoredRun | undefined {
  const row = database
    .prepare(
      `SELECT status, connection, started_at, resumes, owner, file_number, approves_all, inputs, plan
       FROM runs JOIN plans ON plans.id = runs.plan_id WHERE runs.id = ?`,
    )
    .get(runId) as Readonly<Record<string, unknown>> | undefined
  if (!row) return undefined
  const { status, connection, started_at, resumes, owner, file_number, approves_all, inputs, plan } = row
  return {
    id: runId,
    status: status as StoredRun['status'],
    plan: JSON.parse(String(plan)) as Plan,
    inputs: JSON.parse(String(inputs)) as JsonObject,
    ...(typeof connection === 'string' ? { connection } : {}),
    startedAtMs: Number(started_at),
    resumes: Number(resumes),
    fileNumber: typeof file_number === 'string' ? file_number : undefined,
    owner: typeof owner === 'string' ? owner : undefined,
    approvesAll: approves_all === 1,
  }
}

/** How the run stands, as the table has it, without the rest of it. */
export function readRunStatus(
  database: DatabaseSyncInstance,
  runId: string,
): StoredRun['status'] | undefined {
  const row = database.prepare('SELECT status FROM runs WHERE id = ?').get(runId)
  return row?.['status'] as StoredRun['status'] | undefined
}

/** The id of the run that was started with this key. */
export function findRunByKey(database: DatabaseSyncInstance, key: string): string | undefined {
  const row = database.prepare('SELECT id FROM runs WHERE key = ?').get(key)
  return row === undefined ? undefined : String(row['id'])
}

function ownerName(): string {
  return `process ${process.pid}`
}
