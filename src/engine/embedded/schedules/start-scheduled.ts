import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { JsonObject } from '../../../core/json.ts'
import type { Plan } from '../../../core/plan/index.ts'
import { concurrencyConflict } from '../../../core/record/index.ts'
import { RunbookError } from '../../../core/run-error.ts'
import type { NoFireReason } from '../../../core/triggers/index.ts'
import { createRunId } from '../../record/index.ts'
import { findKeyHolder } from '../concurrency/key-rows.ts'
import { enqueueRun } from '../queue/enqueue-run.ts'
import { concurrencyOfRun } from '../run/find-existing-run.ts'
import type { NewRun } from '../tables/run-rows.ts'
import type { ScheduleRow } from './schedule-rows.ts'

/** What a schedule starts. */
export interface ScheduledWork {
  readonly plan: Plan
  /** Checked, defaults filled in. */
  readonly inputs: JsonObject
  /** Name of the default connection, for the record. */
  readonly connection?: string
}

/** Where the runs of schedules are recorded. */
export interface ScheduleDatabase {
  readonly dataDir: string
  readonly database: DatabaseSyncInstance
  readonly databaseIdentity: NewRun['databaseIdentity']
}

/** The recorded run, or the reason why there is none. */
type StartResult =
  | { readonly runId: string; readonly error?: undefined }
  | { readonly runId?: string; readonly because: NoFireReason; readonly error: RunbookError }

/** Queues a run of a schedule, to be called in a transaction. */
export function startScheduled(
  { database, dataDir, databaseIdentity }: ScheduleDatabase,
  { id: schedule, trigger }: ScheduleRow,
  { plan, inputs, connection }: ScheduledWork,
  { nowMs, atMs }: { readonly nowMs: number; readonly atMs: number },
): StartResult {
  const run: NewRun = {
    id: createRunId(new Date(nowMs)),
    plan,
    inputs,
    startedAtMs: nowMs,
    databaseIdentity,
    startedFrom: { kind: 'schedule', schedule, at: new Date(atMs).toISOString(), trigger },
    ...(connection === undefined ? {} : { connection }),
  }
  try {
    const concurrency = concurrencyOfRun(run)
    const refuses = concurrency?.onConflict === 'skip' || concurrency?.onConflict === 'reject'
    const holder = refuses && findKeyHolder(database, { dataDir, runbook: plan.name, ...concurrency })
    if (holder) {
      const error = concurrencyConflict(holder, plan.name, concurrency.key)
      return { runId: holder, because: 'concurrency', error }
    }
    enqueueRun(database, run, concurrency?.key)
    return { runId: run.id }
  } catch (error) {
    if (!RunbookError.is(error) || error.code !== 'InvalidInput') throw error
    return { because: 'inputs_invalid', error }
  }
}
