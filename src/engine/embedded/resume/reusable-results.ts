import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { ActionDescription } from '../../../core/action.ts'
import type { ReusableResultStore } from '../../../core/host/index.ts'
import { isJsonObject, type JsonValue } from '../../../core/json.ts'
import { type Plan, stepAddressOfCall } from '../../../core/plan/index.ts'
import {
  createReusableResults,
  findWrites,
  hasStepIn,
  outcomeOfEnded,
  type ReusableResult,
  readOverrides,
  skipSteps,
} from '../../../core/resume/index.ts'
import type { ErrorData } from '../../../core/run-error.ts'
import type { CommitQueue } from '../database/commit-queue.ts'
import { type Row, sql } from '../database/sql.ts'
import type { RunArtifacts } from '../run/artifacts.ts'
import type { JournaledCall } from '../run/journal.ts'
import { readEarlierPlans, readLastOverrides } from './resume-rows.ts'

/** What a run executes after its last resume with changes. */
export interface ChangedWork {
  /** Without the steps that the user wants skipped. */
  readonly plan: Plan
  /** Undefined if the run was never changed. */
  readonly reusable: ReusableResultStore<JournaledCall> | undefined
}

/** What opening the reusable results takes. */
export interface ChangedWorkPorts {
  readonly queue: CommitQueue
  readonly artifacts: RunArtifacts
  readonly actions: readonly ActionDescription[]
}

/** Opens the plan and the reusable results that the last resume with changes has left. */
export function openChangedWork(
  database: DatabaseSyncInstance,
  { id, plan, isNew }: { readonly id: string; readonly plan: Plan; readonly isNew: boolean },
  { queue, artifacts, actions }: ChangedWorkPorts,
): ChangedWork {
  const overrides = isNew ? undefined : readLastOverrides(database, id)
  if (!overrides) return { plan, reusable: undefined }
  const rows = openReusableRows(database)
  const local = new Set(actions.filter(({ isLocal }) => isLocal).map(({ name }) => name))
  const results = createReusableResults({
    reusables: [...readReusableResults(database, id), ...readRefused(database, id)],
    kept: readKept(database, id),
    overrides: readOverrides(overrides, plan),
    isWrite: findWrites([plan, ...readEarlierPlans(database, id)], local),
    hasStep: hasStepIn(plan),
    takeFile(reusable, call) {
      const { output } = rows.read(reusable.id)
      const file = isJsonObject(output) ? output['path'] : undefined
      if (typeof file !== 'string') return true
      return artifacts.takeOver(file, stepAddressOfCall(reusable.path), stepAddressOfCall(call.path))
    },
    giveUp: ({ id: reusable }) => queue.batch(() => rows.discard(reusable)),
  })
  const reusable: ReusableResultStore<JournaledCall> = {
    async take({ request: { path, action: name }, argumentHash: asked, action, safety }) {
      const taken = await results.take({
        path,
        action: name,
        asked,
        safety,
        isLocal: action.isLocal === true,
      })
      if (taken.kind === 'to-make') return taken
      const { id: reused } = taken.reusable
      const { requestId, ...attempted } = rows.read(reused)
      return { kind: 'reused', id: reused, attempted: { status: 'succeeded', ...attempted }, requestId }
    },
  }
  return { plan: skipSteps(plan, overrides.skip), reusable }
}

/**
 * The first value of `superseded` that marks an attempt as a reusable result. The rest is the number of the resume that
 * set it aside. Attempts with a smaller number were set aside permanently.
 */
export const resultsFrom = 1_000_000

/** Sets all attempts aside that count, so that the journal is empty; to be called in a transaction. */
export function setResultsAside(database: DatabaseSyncInstance, runId: string, resume: number): void {
  sql(database).run`
    UPDATE attempts SET superseded = ${resultsFrom + resume} WHERE run_id = ${runId} AND superseded = 0`
}

/** The unclaimed results of a run, those that were set aside last first. */
export function readReusableResults(
  database: DatabaseSyncInstance,
  runId: string,
): readonly ReusableResult[] {
  const rows = sql(database).all`
    SELECT id, path, action, argument_hash, ended_at, error FROM attempts
    WHERE run_id = ${runId} AND superseded > ${resultsFrom}
    AND id NOT IN (SELECT reused FROM attempts WHERE run_id = ${runId} AND reused IS NOT NULL)
    ORDER BY superseded DESC, id`
  return rows.map((row) => readReusable(row, outcomeOf(row)))
}

/** Failed attempts that a resume or a decision set aside, so that the call is made again. */
export function readRefused(database: DatabaseSyncInstance, runId: string): readonly ReusableResult[] {
  const rows = sql(database).all`
    SELECT id, path, action, argument_hash FROM attempts
    WHERE run_id = ${runId} AND (superseded < 0 OR (superseded BETWEEN 1 AND ${resultsFrom} 
      AND error IS NOT NULL))`
  return rows.map((row) => readReusable(row, 'undone'))
}

/** Results that calls with other arguments have reused. */
function readKept(database: DatabaseSyncInstance, runId: string): readonly ReusableResult[] {
  const rows = sql(database).all`
    SELECT reusable.id, reusable.path, reusable.action, reusable.argument_hash
    FROM attempts AS taken JOIN attempts AS reusable ON reusable.id = taken.reused
    WHERE taken.run_id = ${runId} AND taken.argument_hash <> reusable.argument_hash`
  return rows.map((row) => readReusable(row, 'done'))
}

function readReusable(row: Row, outcome: ReusableResult['outcome']): ReusableResult {
  return {
    id: Number(row['id']),
    path: String(row['path']),
    action: String(row['action']),
    asked: String(row['argument_hash']),
    outcome,
  }
}

function outcomeOf({ ended_at, error }: Row): ReusableResult['outcome'] {
  if (ended_at === null) return 'open'
  return outcomeOfEnded(typeof error === 'string' ? (JSON.parse(error) as ErrorData) : undefined)
}

/** The result of a reusable attempt. */
interface ReusableOutcome {
  readonly output: JsonValue
  readonly startedAtMs: number
  readonly endedAtMs: number
  readonly waitedMs?: number
  readonly requestId?: string
}

function openReusableRows(database: DatabaseSyncInstance) {
  return {
    read(id: number): ReusableOutcome {
      const row = sql(database).get`
        SELECT output, started_at, ended_at, waited, request_id FROM attempts WHERE id = ${id}` as Row
      const { output, started_at, ended_at, waited, request_id } = row
      return {
        output: JSON.parse(String(output)) as JsonValue,
        startedAtMs: Number(started_at),
        endedAtMs: Number(ended_at),
        ...(waited === null ? {} : { waitedMs: Number(waited) }),
        ...(typeof request_id === 'string' ? { requestId: request_id } : {}),
      }
    },
    /** The call is made again, so no other call may reuse the result. To be called in a transaction. */
    discard: (id: number): void =>
      void sql(database).run`
        UPDATE attempts SET superseded = superseded - ${resultsFrom} 
        WHERE id = ${id} AND superseded > ${resultsFrom}`,
  }
}
