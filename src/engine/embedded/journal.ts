import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { AttemptResult } from '../../core/attempts.ts'
import type { Attempted } from '../../core/host.ts'
import type { JsonValue } from '../../core/json.ts'
import { type ErrorData, RunbookError } from '../../core/run-error.ts'
import type { CommitQueue } from './commit-queue.ts'

/** One call that is about to be made. */
export interface AttemptIntent {
  readonly path: string
  readonly attempt: number
  readonly action: string
  readonly argumentHash: string
}

/** What the journal holds of an attempt. `begun`: its process ended before its outcome was known. */
export type KnownAttempt =
  | { readonly status: 'begun'; readonly startedAtMs: number }
  | {
      readonly status: 'ended'
      readonly attempted: Attempted
      /** The how manieth of its run it was to end. */
      readonly place: number
      readonly requestId?: string
    }

/** How an attempt ended, as it is recorded. */
export interface AttemptEnd {
  readonly result: AttemptResult
  /** The output as JSON, where there is one. */
  readonly outputText?: string | undefined
  readonly requestId?: string | undefined
  /** How long of it was waiting: for the rate limit, for the target, or for a process after that of its own. */
  readonly waitedMs?: number | undefined
}

/** The durable record of the attempts of one run. What resolves is on disk. */
export interface Journal {
  /** What is known of this attempt. A different call under its name is `PlanDrift`. */
  find(intent: AttemptIntent): KnownAttempt | undefined
  /** Says that a write is about to be made, for the first time or again; `sent` is what it is sent with, as JSON. */
  begin(intent: AttemptIntent, nowMs: number, sent?: string): Promise<void>
  /** The same of a read. A power cut can take it: then it is made again as if for the first time. */
  beginRead(intent: AttemptIntent, nowMs: number): Promise<void>
  /** Says what the call came to. */
  finish(intent: AttemptIntent, end: AttemptEnd, endedAtMs: number): Promise<void>
  /** Says that what an attempt before an amendment came to is what this one comes to. */
  takeOver(intent: AttemptIntent, earlierId: number): Promise<void>
  /** Says that the call was not made after all. */
  withdraw(intent: AttemptIntent): Promise<void>
  /** How many attempts it held when it was opened, but for those that nobody wanted any more. */
  readonly entries: number
}

/** Opens the journal of a run. One that is new holds nothing, so nothing is looked for. */
export function openJournal(
  database: DatabaseSyncInstance,
  queue: CommitQueue,
  { runId, isNew }: { readonly runId: string; readonly isNew: boolean },
): Journal {
  const key = 'run_id = ? AND path = ? AND attempt = ? AND superseded = 0'
  const select = database.prepare(
    `SELECT action, argument_hash, started_at, ended_at, ended_place, waited, request_id, error, output
     FROM attempts WHERE ${key}`,
  )
  const insert = database.prepare(
    `INSERT INTO attempts (run_id, path, attempt, action, argument_hash, started_at, sent)
     VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (run_id, path, attempt, superseded) DO UPDATE SET started_at = excluded.started_at, sent = excluded.sent,
       ended_at = NULL, ended_place = NULL, waited = NULL, request_id = NULL, error = NULL, output = NULL`,
  )
  const ending =
    'UPDATE attempts SET ended_at = ?, ended_place = ?, waited = ?, output = ?, error = ?, request_id = ?'
  const update = database.prepare(`${ending} WHERE ${key}`)
  const updateRow = database.prepare(`${ending} WHERE id = ?`)
  /** The rows of attempts under way, which are found sooner than by the names of their calls. */
  const rows = new Map<AttemptIntent, number | bigint>()
  const insertRow = (intent: AttemptIntent, nowMs: number, sent?: string): void => {
    const { path, attempt, action, argumentHash } = intent
    const { lastInsertRowid } = insert.run(runId, path, attempt, action, argumentHash, nowMs, sent ?? null)
    // Where a row was there before, this is another one's number.
    if (isNew) rows.set(intent, lastInsertRowid)
  }
  const copy = database.prepare(
    `INSERT INTO attempts (run_id, path, attempt, action, argument_hash, started_at, ended_at, ended_place, waited,
       request_id, output, sent, reused)
     SELECT run_id, ?, ?, action, ?, started_at, ended_at, ?, waited, request_id, output, sent, id
     FROM attempts WHERE id = ?`,
  )
  const held = isNew ? undefined : countEntries(database, runId)
  let lastPlace = held?.lastPlace ?? 0
  const remove = database.prepare(`DELETE FROM attempts WHERE ${key}`)
  return {
    find(intent) {
      const row = isNew ? undefined : select.get(runId, intent.path, intent.attempt)
      if (row === undefined) return undefined
      if (row['action'] !== intent.action || row['argument_hash'] !== intent.argumentHash) {
        const message = `the journal holds another call as attempt ${intent.attempt} of ${intent.path}`
        // No step may take it for a failure of its own: the run would go on on a record that is not its own.
        throw new RunbookError('PlanDrift', message, { path: intent.path, notSent: true, endsRun: true })
      }
      if (row['ended_at'] !== null) return readEnd(row)
      return { status: 'begun', startedAtMs: Number(row['started_at']) }
    },
    begin: (intent, nowMs, sent) => queue.append(() => insertRow(intent, nowMs, sent)),
    beginRead: (intent, nowMs) => queue.enter(() => insertRow(intent, nowMs)),
    finish(intent, { result, outputText, requestId, waitedMs }, endedAtMs) {
      const row = rows.get(intent)
      rows.delete(intent)
      const error = result.status === 'failed' ? JSON.stringify(result.error) : null
      const place = ++lastPlace
      return queue.append(() => {
        const [waited, output, request] = [waitedMs ?? null, outputText ?? null, requestId ?? null]
        if (row === undefined)
          update.run(endedAtMs, place, waited, output, error, request, runId, intent.path, intent.attempt)
        else updateRow.run(endedAtMs, place, waited, output, error, request, row)
      })
    },
    takeOver({ path, attempt, argumentHash }, earlierId) {
      const place = ++lastPlace
      return queue.append(() => copy.run(path, attempt, argumentHash, place, earlierId))
    },
    withdraw: ({ path, attempt }) => queue.append(() => remove.run(runId, path, attempt)),
    entries: held?.entries ?? 0,
  }
}

function countEntries(
  database: DatabaseSyncInstance,
  runId: string,
): { readonly entries: number; readonly lastPlace: number } {
  const row = database
    .prepare(
      `SELECT count(*) FILTER (
         WHERE superseded = 0 AND (coalesce(error ->> '$.code', '') <> 'Cancelled'
           OR error ->> '$.isSettled')
       ) AS entries, max(ended_place) AS last_place
       FROM attempts WHERE run_id = ?`,
    )
    .get(runId)
  return { entries: Number(row?.['entries'] ?? 0), lastPlace: Number(row?.['last_place'] ?? 0) }
}

function readEnd(row: Readonly<Record<string, unknown>>): KnownAttempt {
  const { output, error, started_at, ended_at, ended_place, waited, request_id } = row
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
    place: Number(ended_place ?? 0),
    ...(typeof request_id === 'string' ? { requestId: request_id } : {}),
  }
}
