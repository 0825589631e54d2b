import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { AttemptResult } from '../../core/attempts.ts'
import type { RunStatus, StepStatus } from '../../core/events.ts'
import type { RunOutcome } from '../../core/interpret.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import type { Plan } from '../../core/plan.ts'
import { type ErrorData, RunbookError } from '../../core/run-error.ts'

/** What a step came to, as the record and the report say it. */
export interface StepRecord {
  readonly path: string
  readonly name?: string
  readonly action: string
  readonly status: StepStatus | 'running' | 'pending' | 'interrupted'
  readonly attempts: number
  readonly error?: ErrorData
  /** RFC 3339. */
  readonly started_at?: string
  /** RFC 3339. */
  readonly ended_at?: string
}

/** One call that is about to be made. */
export interface AttemptIntent {
  readonly path: string
  readonly attempt: number
  readonly action: string
  readonly argumentHash: string
}

/** The durable record of one run. Each method is one transaction, on disk when it returns. */
export interface Journal {
  /** The result that the journal holds for this attempt, or undefined. A different call under one name is `PlanDrift`. */
  find(intent: AttemptIntent): AttemptResult | undefined
  /** Says that the call is about to be made. */
  begin(intent: AttemptIntent, now: number): void
  /** Says what the call came to. */
  finish(intent: AttemptIntent, result: AttemptResult, requestId: string | undefined, now: number): void
  writeStep(step: StepRecord, position: number): void
  end(outcome: RunOutcome, now: number): void
}

/** Begins the record of a new run. */
export function createJournal(
  database: DatabaseSyncInstance,
  run: { readonly id: string; readonly plan: Plan; readonly inputs: JsonObject; readonly now: number },
): Journal {
  const { id, plan, inputs, now } = run
  onDisk(() =>
    database
      .prepare(
        'INSERT INTO runs (id, runbook, plan_hash, plan, inputs, status, started_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
      )
      .run(id, plan.name, plan.hash, JSON.stringify(plan), JSON.stringify(inputs), 'running', now),
  )
  return openJournal(database, run.id)
}

function openJournal(database: DatabaseSyncInstance, runId: string): Journal {
  const key = 'run_id = ? AND path = ? AND attempt = ?'
  const select = database.prepare(
    `SELECT action, argument_hash, ended_at, output, error FROM attempts WHERE ${key}`,
  )
  const insert = database.prepare(
    'INSERT INTO attempts (run_id, path, attempt, action, argument_hash, started_at) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const update = database.prepare(
    `UPDATE attempts SET ended_at = ?, output = ?, error = ?, request_id = ? WHERE ${key}`,
  )
  const upsertStep = database.prepare(
    `INSERT INTO steps (run_id, path, position, name, action, status, attempts, error, started_at, ended_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (run_id, path) DO UPDATE SET status = excluded.status, attempts = excluded.attempts,
       error = excluded.error, started_at = excluded.started_at, ended_at = excluded.ended_at`,
  )
  const endRun = database.prepare(
    'UPDATE runs SET status = ?, outputs = ?, error = ?, ended_at = ? WHERE id = ?',
  )
  return {
    find(intent) {
      const row = select.get(runId, intent.path, intent.attempt)
      if (row === undefined) return undefined
      if (row['action'] !== intent.action || row['argument_hash'] !== intent.argumentHash) {
        const message = `the journal holds another call as attempt ${intent.attempt} of ${intent.path}`
        throw new RunbookError('PlanDrift', message, { path: intent.path })
      }
      return row['ended_at'] === null ? undefined : readResult(row)
    },
    begin({ path, attempt, action, argumentHash }, now) {
      onDisk(() => insert.run(runId, path, attempt, action, argumentHash, now))
    },
    finish({ path, attempt }, result, requestId, now) {
      const output = result.status === 'succeeded' ? JSON.stringify(result.output) : null
      const error = result.status === 'failed' ? JSON.stringify(result.error) : null
      onDisk(() => update.run(now, output, error, requestId ?? null, runId, path, attempt))
    },
    writeStep(step, position) {
      onDisk(() =>
        upsertStep.run(
          runId,
          step.path,
          position,
          step.name ?? null,
          step.action,
          step.status,
          step.attempts,
          step.error === undefined ? null : JSON.stringify(step.error),
          step.started_at === undefined ? null : Date.parse(step.started_at),
          step.ended_at === undefined ? null : Date.parse(step.ended_at),
        ),
      )
    },
    end({ status, outputs, error }, now) {
      const ended = status satisfies RunStatus
      onDisk(() =>
        endRun.run(
          ended,
          outputs === undefined ? null : JSON.stringify(outputs),
          error === undefined ? null : JSON.stringify(error),
          now,
          runId,
        ),
      )
    },
  }
}

/** Runs a write; what the database refuses, such as a full disk, is said with what to do next. */
function onDisk(write: () => unknown): void {
  try {
    write()
  } catch (cause) {
    throw new RunbookError('DataDirUnusable', `cannot write the journal: ${(cause as Error).message}`, {
      cause,
    })
  }
}

function readResult(row: Readonly<Record<string, unknown>>): AttemptResult {
  const { output, error } = row
  return typeof error === 'string'
    ? { status: 'failed', error: JSON.parse(error) as ErrorData }
    : { status: 'succeeded', output: JSON.parse(String(output)) as JsonValue }
}
