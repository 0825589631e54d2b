import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { callFingerprint } from '../../../core/calls/index.ts'
import type {
  Attempted,
  AttemptLog,
  CallRequest,
  KnownAttempt,
  MadeAttempt,
} from '../../../core/host/index.ts'
import type { JsonValue } from '../../../core/json.ts'
import { type ErrorData, leavesOutcomeUnknown, RunbookError } from '../../../core/run-error.ts'
import { type AttemptCall, canonicalHash, sentText } from '../../attempt/index.ts'
import type { CommitQueue } from '../database/commit-queue.ts'
import { type Row, type SqlPart, sql, sqlPart } from '../database/sql.ts'

/** A call with the hash of its arguments. Other arguments under the same name are another call. */
export interface JournaledCall extends AttemptCall {
  readonly argumentHash: string
}

/** The hash of a call's arguments, as the journal holds it. */
export function argumentHashOf(request: CallRequest): string {
  return canonicalHash(callFingerprint(request))
}

/** The durable record of the attempts of one run. What resolves is on disk. */
export interface Journal extends AttemptLog<JournaledCall> {
  /** The number of attempts in it when it was opened. */
  readonly entries: number
}

/** Which journal is opened. */
export interface JournalOptions {
  readonly runId: string
  /** The journal is empty, so no lookup is needed. */
  readonly isNew: boolean
  /**
   * Awaits the intents of reads too. A read that kills its process is then on record, and counts as a crash. By default
   * they are batched: a repeated read does no harm.
   */
  readonly awaitsReads: boolean
}

/** Opens the journal of a run. */
export function openJournal(
  database: DatabaseSyncInstance,
  queue: CommitQueue,
  { runId, isNew, awaitsReads }: JournalOptions,
): Journal {
  const keyOf = ({ request: { path, attempt } }: JournaledCall): SqlPart =>
    sqlPart`run_id = ${runId} AND path = ${path} AND attempt = ${attempt} AND superseded = 0`
  const held = isNew ? undefined : countEntries(database, runId)
  let lastPosition = held?.lastPosition ?? 0
  return {
    find(call) {
      const row = isNew ? undefined : sql(database).get`SELECT * FROM attempts WHERE ${keyOf(call)}`
      if (row === undefined) return undefined
      refuseOther(row, call)
      if (row['ended_at'] !== null) return readEnd(row)
      return { status: 'begun', startedAtMs: Number(row['started_at']) }
    },
    begin({ request, action, safety, argumentHash }, nowMs) {
      const sent = sentText(request, action, safety)
      const write = (): void => {
        sql(database).run`
          INSERT INTO attempts (run_id, path, attempt, action, argument_hash, started_at, sent)
          VALUES (${runId}, ${request.path}, ${request.attempt}, ${request.action}, ${argumentHash},
            ${nowMs}, ${sent})
          ON CONFLICT (run_id, path, attempt, superseded) DO UPDATE SET
          started_at = excluded.started_at, sent = excluded.sent, ended_at = NULL, ended_position = NULL,
          waited = NULL, request_id = NULL, error = NULL, output = NULL`
      }
      if (safety !== 'read' || awaitsReads) return queue.append(write)
      queue.batch(write)
      return undefined
    },
    finish(call, made, { endedAtMs }) {
      const { path, attempt } = call.request
      const { result, outputText, requestId, waitedMs } = made
      const error = result.status === 'failed' ? JSON.stringify(result.error) : null
      const position = ++lastPosition
      // Its key is written out: a part would be joined into the statement for each call.
      const write = (): void => {
        const rows = sql(database).run`
          UPDATE attempts SET ended_at = ${endedAtMs}, ended_position = ${position}, waited = ${waitedMs},
          output = ${outputText}, error = ${error}, request_id = ${requestId}
          WHERE run_id = ${runId} AND path = ${path} AND attempt = ${attempt} AND superseded = 0`
        // The intent of a read is batched, and a batched write can fail unnoticed.
        if (rows === 0) throw new Error(`attempt ${attempt} of ${path} has no intent`)
      }
      return queue.append(write).catch((cause: unknown) => {
        throw unrecorded(call, made, cause)
      })
    },
    takeOver({ request: { path, attempt }, argumentHash }, { id }) {
      const position = ++lastPosition
      return queue.append(
        () => sql(database).run`
          INSERT INTO attempts (run_id, path, attempt, action, argument_hash, started_at, ended_at,
          ended_position, waited, request_id, output, sent, reused)
          SELECT run_id, ${path}, ${attempt}, action, ${argumentHash}, started_at, ended_at,
          ${position}, waited, request_id, output, sent, id FROM attempts WHERE id = ${id}`,
      )
    },
    withdraw: (call) => queue.append(() => sql(database).run`DELETE FROM attempts WHERE ${keyOf(call)}`),
    entries: held?.entries ?? 0,
  }
}

function countEntries(
  database: DatabaseSyncInstance,
  runId: string,
): { readonly entries: number; readonly lastPosition: number } {
  const row = sql(database).get`
    SELECT count(*) FILTER (WHERE superseded = 0) AS entries, max(ended_position) AS last_position
    FROM attempts WHERE run_id = ${runId}`
  return { entries: Number(row?.['entries'] ?? 0), lastPosition: Number(row?.['last_position'] ?? 0) }
}

/** Refuses a record of another call. No `catch` may handle this: the run would continue on the record of another plan. */
function refuseOther(row: Row, { request: { path, attempt, action }, argumentHash }: JournaledCall): void {
  if (row['action'] === action && row['argument_hash'] === argumentHash) return
  const message = `the journal holds another call as attempt ${attempt} of ${path}`
  throw new RunbookError('PlanDrift', message, { path, notSent: true, endsRun: true })
}

function readEnd(row: Row): KnownAttempt {
  const { output, error, started_at, ended_at, ended_position, waited, request_id } = row
  const times = {
    startedAtMs: Number(started_at),
    endedAtMs: Number(ended_at),
    ...(waited === null ? {} : { waitedMs: Number(waited) }),
  }
  const attempted: Attempted =
    typeof error === 'string'
      ? { status: 'failed', error: JSON.parse(error) as ErrorData, ...times }
      : { status: 'succeeded', output: JSON.parse(String(output)) as JsonValue, ...times }
  return {
    status: 'ended',
    attempted,
    position: Number(ended_position ?? 0),
    ...(typeof request_id === 'string' ? { requestId: request_id } : {}),
  }
}

/**
 * Why an outcome that could not be recorded ends the run. If a write was, or may have been, executed, the run ends with
 * an unknown outcome that holds all that is known: no later run may take the step for undone.
 */
function unrecorded(
  { action, safety, request: { path } }: JournaledCall,
  { result, requestId }: MadeAttempt,
  cause: unknown,
): unknown {
  const isDone = result.status === 'succeeded' || leavesOutcomeUnknown(result.error)
  if (safety === 'read' || !isDone) return cause
  const known = result.status === 'succeeded' ? { output: result.output } : { error: result.error.message }
  const message = `${action.name} was sent and its outcome could not be recorded: ${(cause as Error).message}`
  return new RunbookError('OutcomeUnknown', message, {
    path,
    details: known,
    cause,
    endsRun: true,
    ...(requestId === undefined ? {} : { requestId }),
  })
}
