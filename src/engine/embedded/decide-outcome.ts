import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { JsonValue } from '../../core/json.ts'
import { nearest } from '../../core/nearest.ts'
import type { ErrorData } from '../../core/run-error.ts'
import { hasDatabase, openDatabase } from './database.ts'
import { inTransaction } from './in-transaction.ts'
import { takeOwnership } from './ownership.ts'
import { noRun, refused } from './refused.ts'
import { readStoredRun, type StoredRun } from './run-rows.ts'
import { findUndecided, type UndecidedCall } from './undecided.ts'

/** What a person found out about a write: it was carried out, it was not, or it is to be made again all the same. */
export type Decision = 'succeeded' | 'failed' | 'retry'

/** How a write that nobody was sure of is settled. */
export interface DecideOptions {
  readonly dataDir: string
  readonly runId: string
  /** The path of the call, or the id of its step where only one call of it is in doubt. */
  readonly step: string
  readonly decision: Decision
  /**
   * With `succeeded`: what the call would have answered, for the steps that read it.
   * @default an empty object
   */
  readonly outputs?: JsonValue
  /** Who decides. */
  readonly by: string
  readonly comment?: string
}

/**
 * Settles a write of which nobody knew whether it was carried out. Answers with what of the run is still in doubt;
 * once that is nothing, `resumeRun` goes on with it.
 *
 * Rejects with `InvalidInput`, and changes nothing, where there is no such call or nothing is in doubt about it; and
 * with `RunInUse` while a process carries the run out.
 */
export async function decideOutcome(options: DecideOptions): Promise<readonly UndecidedCall[]> {
  const { dataDir, runId } = options
  if (!hasDatabase(dataDir)) throw noRun({ dataDir, runId })
  const database = openDatabase(dataDir)
  try {
    requireRun(database, options)
    // What is in flight is not in doubt yet.
    const ownership = takeOwnership(dataDir, runId)
    try {
      const run = requireRun(database, options)
      const isOver = run.status === 'succeeded' || run.status === 'cancelled'
      const inDoubt = findUndecided(database, run, isOver ? undefined : 'caught')
      const call = chooseCall(inDoubt, options, run.status)
      inTransaction(database, () => settle(database, call, options))
      return findUndecided(database, run)
    } finally {
      ownership.release(false)
    }
  } finally {
    database.close()
  }
}

function requireRun(database: DatabaseSyncInstance, { dataDir, runId }: DecideOptions): StoredRun {
  const run = readStoredRun(database, runId)
  if (!run) throw noRun({ dataDir, runId })
  return run
}

function chooseCall(
  undecided: readonly UndecidedCall[],
  { runId, step }: DecideOptions,
  status: string,
): UndecidedCall {
  const exact = undecided.find(({ path }) => path === step)
  if (exact) return exact
  const ofStep = undecided.filter((call) => call.step === step)
  const [only] = ofStep
  if (only && ofStep.length === 1) return only
  const paths = (ofStep.length > 0 ? ofStep : undecided).map(({ path }) => path)
  if (paths.length === 0) throw refused(`nothing of ${runId} needs a decision: it is ${status}`)
  if (ofStep.length > 1)
    throw refused(`several calls of ${step} need a decision, say which: ${listed(paths)}`)
  const near = nearest(step, paths)
  const meant = near === undefined ? `what does: ${listed(paths)}` : `did you mean ${near}?`
  throw refused(`${step} of ${runId} needs no decision; ${meant}`)
}

const named = 5

function listed(paths: readonly string[]): string {
  return paths.slice(0, named).join(', ') + (paths.length > named ? ` and ${paths.length - named} more` : '')
}

function settle(database: DatabaseSyncInstance, call: UndecidedCall, options: DecideOptions): void {
  const { runId, decision, outputs = {}, by, comment } = options
  const now = Date.now()
  const id = recordDecision(database, {
    runId,
    path: call.path,
    decision,
    by,
    now,
    ...rest(comment, call.error),
  })
  if (decision === 'retry') {
    setAside(database, runId, call.path, id)
  } else {
    const message = `${by} found out that ${call.action} was not carried out${comment === undefined ? '' : `: ${comment}`}`
    const error: ErrorData = { code: 'DecidedFailed', message, path: call.path, isSettled: true }
    const known = decision === 'failed' ? { error } : { output: outputs }
    endAttempt(database, { runId, path: call.path, attempt: call.attempt, now, ...known })
  }
}

function rest(
  comment: string | undefined,
  error: ErrorData | undefined,
): { readonly comment?: string; readonly error?: ErrorData } {
  return { ...(comment === undefined ? {} : { comment }), ...(error === undefined ? {} : { error }) }
}

interface DecisionRow {
  readonly runId: string
  readonly path: string
  readonly decision: Decision | 'cancelled'
  readonly by: string
  readonly now: number
  readonly comment?: string
  /** What the attempt had come to. */
  readonly error?: ErrorData
}

function recordDecision(
  database: DatabaseSyncInstance,
  { runId, path, decision, by, now, comment, error }: DecisionRow,
): number {
  const { lastInsertRowid } = database
    .prepare(
      `INSERT INTO decisions (run_id, path, decision, decided_by, comment, decided_at, error)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(runId, path, decision, by, comment ?? null, now, error ? JSON.stringify(error) : null)
  return Number(lastInsertRowid)
}

function endAttempt(
  database: DatabaseSyncInstance,
  end: {
    readonly runId: string
    readonly path: string
    readonly attempt: number
    readonly now: number
    readonly output?: JsonValue
    readonly error?: ErrorData
  },
): void {
  const { runId, path, attempt, now, output, error } = end
  database
    .prepare(
      // While its process was dead nobody has worked on it.
      `UPDATE attempts SET output = ?, error = ?, ended_at = coalesce(ended_at, ?),
         waited = iif(ended_at IS NULL, max(? - started_at, 0), waited),
         ended_place = coalesce(ended_place, (SELECT coalesce(max(ended_place), 0) + 1 FROM attempts WHERE run_id = ?))
       WHERE run_id = ? AND path = ? AND attempt = ? AND superseded = 0`,
    )
    .run(
      output === undefined ? null : JSON.stringify(output),
      error ? JSON.stringify(error) : null,
      now,
      now,
      runId,
      runId,
      path,
      attempt,
    )
}

/**
 * Its attempts are kept for the record only: of a group of a batch those since it was carried out for other items. The
 * numbers of resumes are taken, those below nothing are not.
 */
function setAside(database: DatabaseSyncInstance, runId: string, path: string, decisionId: number): void {
  database
    .prepare(
      `UPDATE attempts SET superseded = ?1 WHERE run_id = ?2 AND path = ?3 AND superseded = 0 AND attempt > (
         SELECT coalesce(max(attempt), 0) FROM attempts
         WHERE run_id = ?2 AND path = ?3 AND superseded = 0 AND ended_at IS NOT NULL AND error IS NULL)`,
    )
    .run(-decisionId, runId, path)
}

/**
 * Leaves all that is in doubt as it is: nobody wants to know any more. To be called in a transaction, where the run is to
 * be cancelled.
 */
export function leaveUndecided(
  database: DatabaseSyncInstance,
  run: Parameters<typeof findUndecided>[1],
  by: string,
): void {
  const now = Date.now()
  for (const { path, attempt, action, error } of findUndecided(database, run)) {
    const decided = {
      runId: run.id,
      path,
      decision: 'cancelled',
      by,
      now,
      ...rest(undefined, error),
    } as const
    recordDecision(database, decided)
    const message = `the run was cancelled, and nobody has said whether ${action} was carried out`
    const left: ErrorData = { code: 'Cancelled', message, path, isSettled: true }
    endAttempt(database, { runId: run.id, path, attempt, now, error: left })
  }
}
