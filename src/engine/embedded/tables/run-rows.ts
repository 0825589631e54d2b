import { createHash } from 'node:crypto'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { Identity, RunStatus } from '../../../core/events.ts'
import type { RunOutcome } from '../../../core/interpret.ts'
import type { JsonObject } from '../../../core/json.ts'
import type { Plan } from '../../../core/plan/index.ts'
import { type RunbookError, refused } from '../../../core/run-error.ts'
import type { TriggerSource } from '../../../core/triggers/index.ts'
import { systemIdentity } from '../../record/index.ts'
import { sql, toJson } from '../database/sql.ts'
import type { RunScope } from '../run/run-scope.ts'
import { closeControlRequests } from './control-request-rows.ts'

/** A run that is about to be recorded. */
export interface NewRun {
  readonly id: string
  readonly key?: string
  readonly plan: Plan
  readonly inputs: JsonObject
  readonly connection?: string
  readonly startedAtMs: number
  /** See `readDatabaseIdentity`. */
  readonly databaseIdentity: string
  /** The event or the schedule that started it. Left out: a user did. */
  readonly startedFrom?: TriggerSource
  /** Who starts it. Left out: the system user of this process. */
  readonly startedBy?: Identity
  /** Every question is approved. */
  readonly approvesAll?: boolean
  /** Left out: no process resumes it automatically. */
  readonly scope?: RunScope
  /** `serve`: queued until `opsbook serve` claims it. `here`: this process waits with it in line. */
  readonly queue?: 'serve' | 'here'
}

/** The record of a run, as far as a resume needs it. */
export interface StoredRun {
  readonly id: string
  readonly status: RunStatus | 'running'
  readonly plan: Plan
  readonly inputs: JsonObject
  readonly connection?: string
  readonly startedAtMs: number
  /** The number of its resumes. */
  readonly resumes: number
  /** The identity of the database that the run used last. */
  readonly databaseIdentity: string
  /** The process that last ran it, for people. */
  readonly owner: string | undefined
  /** Every question is approved. */
  readonly approvesAll: boolean
}

/** Records a run that starts now, or is queued; to be called in a transaction. */
export function insertRun(database: DatabaseSyncInstance, run: NewRun): void {
  const { id, key, plan, inputs, connection, startedAtMs, databaseIdentity, startedFrom, approvesAll } = run
  const planId = insertPlan(database, plan)
  const queued = run.queue && (run.queue === 'serve' ? 1 : 2)
  sql(database).run`
    INSERT INTO runs (id, key, runbook, title, labels, connection, status, started_at, started_by,
    owner, database_identity, plan_hash, plan_id, inputs, started_from, approves_all, is_queued,
    project, service, events_after)
    VALUES (${id}, ${key}, ${plan.name}, ${plan.title}, ${JSON.stringify(plan.labels ?? {})},
      ${connection}, 'running', ${startedAtMs}, ${JSON.stringify(run.startedBy ?? systemIdentity())},
      ${run.queue === 'serve' ? null : ownerName()}, ${databaseIdentity}, ${plan.hash}, ${planId},
      ${JSON.stringify(inputs)}, ${toJson(startedFrom)}, ${approvesAll || null}, ${queued},
      ${run.scope?.project}, ${run.scope?.service},
    (SELECT coalesce(max(seq), 0) FROM received_events))`
}

/** The key of the run for the hashes of approved calls. */
export function readSealKey(database: DatabaseSyncInstance, runId: string): string {
  return String(sql(database).get`SELECT seal_key FROM runs WHERE id = ${runId}`?.['seal_key'])
}

const writtenPlans = new WeakMap<Plan, { readonly text: string; readonly planId: string }>()

/** Records a plan and returns its id. Its text is cached, since events start the same plan many times. */
export function insertPlan(database: DatabaseSyncInstance, plan: Plan): string {
  const written = writtenPlans.get(plan) ?? withId(JSON.stringify(plan))
  writtenPlans.set(plan, written)
  const { text, planId } = written
  sql(database).run`INSERT OR IGNORE INTO plans (id, plan) VALUES (${planId}, ${text})`
  return planId
}

function withId(text: string): { readonly text: string; readonly planId: string } {
  return { text, planId: createHash('sha256').update(text).digest('hex') }
}

/** Records the concurrency key that a run waits for, and how many runs may have it. */
export function nameKey(
  database: DatabaseSyncInstance,
  runId: string,
  { key, limit }: { readonly key: string; readonly limit: number },
): void {
  sql(database).run`
    UPDATE runs SET concurrency_key = ${key}, concurrency_limit = ${limit} WHERE id = ${runId}`
}

/** Records that this process waits with a resumed run. Its other columns stay as they were, in case it never begins. */
export function recordWait(
  database: DatabaseSyncInstance,
  runId: string,
  { key, limit }: { readonly key: string; readonly limit: number },
  nowMs: number,
): void {
  sql(database).run`
    UPDATE runs SET is_queued = 2, queued_at = ${nowMs}, has_key = 0, owner = ${ownerName()},
      concurrency_key = ${key}, concurrency_limit = ${limit}
    WHERE id = ${runId}`
}

/** Records that this process waits with the run no longer. */
export function recordWaitOver(database: DatabaseSyncInstance, runId: string): void {
  sql(database).run`UPDATE runs SET is_queued = NULL WHERE id = ${runId}`
}

/** Records that this process executes a queued run. False: the run is not queued. */
export function recordClaim(database: DatabaseSyncInstance, runId: string): boolean {
  const rows = sql(database).run`
    UPDATE runs SET owner = ${ownerName()}, is_queued = NULL
    WHERE id = ${runId} AND status = 'running' AND is_queued = 1`
  return rows === 1
}

/** Records that this process resumes the run, and its scope; to be called in a transaction. */
export function reopenRun(
  database: DatabaseSyncInstance,
  runId: string,
  databaseIdentity: string,
  scope: RunScope | undefined,
): void {
  if (scope)
    sql(database).run`
      UPDATE runs SET project = ${scope.project}, service = ${scope.service} WHERE id = ${runId}`
  sql(database).run`
    UPDATE runs SET status = 'running', ended_at = NULL, error = NULL, warnings = NULL, outputs = NULL,
    owner = ${ownerName()}, database_identity = ${databaseIdentity}, is_queued = NULL, is_stopped = 0,
      resumes = resumes + 1
    WHERE id = ${runId}`
}

/** Reopens the steps with unknown outcomes, after these were resolved; to be called in a transaction. */
export function reopenUnknown(database: DatabaseSyncInstance, runId: string): void {
  sql(database).run`
    UPDATE steps SET status = 'pending', error = NULL, ended_at = NULL WHERE run_id = ${runId} AND status
      = 'unknown'`
}

/** Records that a user stopped the run, so that only a user resumes it; to be called in a transaction. */
export function recordStop(database: DatabaseSyncInstance, runId: string): void {
  sql(database).run`UPDATE runs SET is_stopped = 1 WHERE id = ${runId}`
}

/** Records the end of a run; to be called in a transaction. */
export function endRun(
  database: DatabaseSyncInstance,
  runId: string,
  { status, outputs, error, warnings, warnings_left_out }: RunOutcome,
  endedAtMs: number,
): void {
  // A plain list contains all warnings.
  const passed = warnings_left_out === undefined ? warnings : { warnings, warnings_left_out }
  sql(database).run`
    UPDATE runs SET status = ${status}, outputs = ${toJson(outputs)}, error = ${toJson(error)},
      warnings = ${toJson(passed)}, ended_at = ${endedAtMs}, is_queued = NULL WHERE id = ${runId}`
  if (status !== 'unknown' && status !== 'interrupted') closeControlRequests(database, runId, endedAtMs)
}

export function readStoredRun(database: DatabaseSyncInstance, runId: string): StoredRun | undefined {
  const row = sql(database).get`
    SELECT status, connection, started_at, resumes, owner, database_identity, approves_all, inputs, plan
    FROM runs JOIN plans ON plans.id = runs.plan_id WHERE runs.id = ${runId}`
  if (!row) return undefined
  const { status, connection, started_at, resumes, owner, database_identity, approves_all, inputs, plan } =
    row
  return {
    id: runId,
    status: status as StoredRun['status'],
    plan: JSON.parse(String(plan)) as Plan,
    inputs: JSON.parse(String(inputs)) as JsonObject,
    ...(typeof connection === 'string' ? { connection } : {}),
    startedAtMs: Number(started_at),
    resumes: Number(resumes),
    databaseIdentity: String(database_identity),
    owner: typeof owner === 'string' ? owner : undefined,
    approvesAll: approves_all === 1,
  }
}

/** The recorded status of a run. It says `running` also after its process died. */
export function readRunStatus(
  database: DatabaseSyncInstance,
  runId: string,
): StoredRun['status'] | undefined {
  const row = sql(database).get`SELECT status FROM runs WHERE id = ${runId}`
  return row?.['status'] as StoredRun['status'] | undefined
}

/** Whether a process has recorded that it waits with the run in line. */
export function isWaitingHere(database: DatabaseSyncInstance, runId: string): boolean {
  return sql(database).get`SELECT 1 FROM runs WHERE id = ${runId} AND is_queued = 2` !== undefined
}

/** The id of the run that was started with this key. */
export function findRunByKey(database: DatabaseSyncInstance, key: string): string | undefined {
  const row = sql(database).get`SELECT id FROM runs WHERE key = ${key}`
  return row === undefined ? undefined : String(row['id'])
}

function ownerName(): string {
  return `process ${process.pid}`
}

/** The error for a run that does not exist, or whose database does not. */
export function noSuchRun({
  dataDir,
  runId,
}: {
  readonly dataDir: string
  readonly runId: string
}): RunbookError {
  return refused(
    `there is no run ${runId} in ${dataDir}`,
    '"opsbook runs" lists those that are there; --data-dir names another folder.',
  )
}
