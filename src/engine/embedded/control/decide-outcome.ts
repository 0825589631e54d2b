import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { hasSentNothing } from '../../../core/calls/index.ts'
import type { Identity } from '../../../core/events.ts'
import {
  createPlanIndex,
  refusedAsContinued,
  refusedAsDecided,
  resolvedAsFailed,
} from '../../../core/record/index.ts'
import type { ErrorData } from '../../../core/run-error.ts'
import { systemClock } from '../../attempt/index.ts'
import type { UnresolvedCall, Verdict } from '../../index.ts'
import { chooseCall, refuseChangedCall, refuseRetry } from '../../record/index.ts'
import { inTransaction } from '../database/database.ts'
import { type Row, sql } from '../database/sql.ts'
import { readHistory } from '../read/record-rows.ts'
import { openControlRequestRows } from '../tables/control-request-rows.ts'
import { type Decision, endAttempt, recordDecision, setAttemptsAside } from '../tables/decision-rows.ts'
import type { StoredRun } from '../tables/run-rows.ts'
import { findUnresolvedCalls } from './unresolved-calls.ts'
import { withOwnedRun } from './with-run.ts'

/** How an unknown outcome is resolved. */
export interface DecideOptions extends Verdict {
  readonly dataDir: string
  readonly runId: string
  /** The path of the call, or the id of its step if only one call of it is unresolved. */
  readonly step: string
}

/**
 * Resolves an unknown outcome, and returns the calls of the run that are still unresolved. With none left, `resumeRun`
 * can resume the run. Until the run has used a decision, another one with `replaces` can replace it. Both stay on record.
 *
 * Rejects with `InvalidInput`, and changes nothing, if no such call is unresolved, if it was resolved already, if it is not the
 * one that `shown` names, or if a cancelled run should retry a call. Rejects with `RunInUse` while a process executes the run.
 */
export async function decideOutcome(options: DecideOptions): Promise<readonly UnresolvedCall[]> {
  // A call that is in flight has no unknown outcome yet.
  return withOwnedRun(options, (database, run) => {
    refuseRetry(options, openControlRequestRows(database, run.id).read())
    const isOver = run.status === 'succeeded' || run.status === 'cancelled'
    const unresolved = (): readonly UnresolvedCall[] =>
      findUnresolvedCalls(database, run, isOver ? undefined : 'all')
    inTransaction(database, () => {
      const isNamed = unresolved().some(({ path, step }) => path === options.step || step === options.step)
      if (!isNamed) undoDecision(database, run, options)
      const call = chooseCall(unresolved(), options, run.status)
      refuseChangedCall(call, options, readHistory(database, run.id))
      resolve(database, call, options)
    })
    return findUnresolvedCalls(database, run)
  })
}

function resolve(database: DatabaseSyncInstance, call: UnresolvedCall, options: DecideOptions): void {
  const { runId, decision, outputs = {}, by, comment } = options
  const now = systemClock.now()
  const { path, attempt } = call
  const id = recordDecision(database, { runId, path, decision, by, now, comment, error: call.error })
  if (decision === 'retry') {
    setAttemptsAside(database, runId, path, id)
  } else {
    const known = decision === 'failed' ? { error: resolvedAsFailed(call, options) } : { output: outputs }
    endAttempt(database, { runId, path, attempt, now, ...known })
  }
}

/** A recorded decision about a call. */
interface Decided {
  readonly id: number
  readonly path: string
  readonly step: string
  readonly decision: Decision
  readonly by: Identity
  readonly at: string
  /**
   * The error of the attempt before the decision, as JSON. Left out: its process had ended before there was a result.
   */
  readonly errorText?: string
  /** The number of resumes before the decision. */
  readonly resumes: number
}

/**
 * Undoes the last decision about a step, so that its outcome is unknown again. The decision stays on record. Does
 * nothing if there is none. To be called in a transaction, by the owner of the run.
 *
 * Throws `InvalidInput` without `replaces`, or if the run has used the decision: a question that was asked since, or a call that
 * may have sent something, cannot be undone.
 */
function undoDecision(
  database: DatabaseSyncInstance,
  run: StoredRun,
  { step, replaces }: Pick<DecideOptions, 'step' | 'replaces'>,
): void {
  const decided = findDecided(database, run, step)
  if (!decided) return
  const hasContinued = decided.resumes !== run.resumes && isUsed(database, run.id, decided)
  if (hasContinued || run.status === 'succeeded' || run.status === 'cancelled')
    throw refusedAsContinued(run.id, run.status, decided, decided.step)
  if (replaces !== true) throw refusedAsDecided(run.id, decided)
  if (decided.decision === 'retry') {
    sql(database).run`
      UPDATE attempts SET superseded = 0 WHERE run_id = ${run.id} AND path = ${decided.path}
        AND superseded = ${-decided.id}`
    return
  }
  // An attempt that had no recorded end has none again.
  sql(database).run`
    UPDATE attempts SET output = NULL, error = ${decided.errorText}, ended_at = iif(${decided.errorText}
      IS NULL, NULL, ended_at),
    waited = iif(${decided.errorText} IS NULL, NULL, waited),
      ended_position = iif(${decided.errorText} IS NULL, NULL, ended_position)
    WHERE run_id = ${run.id} AND path = ${decided.path} AND superseded = 0 AND attempt = (
    SELECT max(attempt) FROM attempts WHERE run_id = ${run.id} AND path = ${decided.path}
      AND superseded = 0)`
}

/** Whether a question was asked, or a call was begun that may have sent something, after the decision. */
function isUsed(database: DatabaseSyncInstance, runId: string, { at }: Decided): boolean {
  const since = Date.parse(at)
  const question = sql(database).get`
    SELECT 1 FROM questions WHERE run_id = ${runId} AND asked_at >= ${since} LIMIT 1`
  return (
    question !== undefined ||
    sql(database).all`SELECT error FROM attempts WHERE run_id = ${runId} AND started_at >= ${since}`.some(
      ({ error }) => error === null || !hasSentNothing(JSON.parse(String(error)) as ErrorData),
    )
  )
}

/** The last decision about a step, by the path of the call. By the id of the step only if it has one decided call. */
function findDecided(database: DatabaseSyncInstance, run: StoredRun, step: string): Decided | undefined {
  const index = createPlanIndex(run.plan)
  const rows = sql(database).all`
    SELECT * FROM decisions WHERE run_id = ${run.id} AND decision <> 'cancelled' ORDER BY id`
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

function readDecided(row: Row, path: string, step: string): Decided {
  const { id, decision, decided_by, decided_at, error, resumes } = row
  return {
    id: Number(id),
    path,
    step,
    decision: decision as Decision,
    by: JSON.parse(String(decided_by)) as Identity,
    at: new Date(Number(decided_at)).toISOString(),
    ...(typeof error === 'string' ? { errorText: error } : {}),
    resumes: Number(resumes),
  }
}
