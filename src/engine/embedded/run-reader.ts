import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import {
  type ArtifactRecord,
  type AttemptRecord,
  isCarriedOut,
  type RecordedEvent,
  type RecordedStatus,
  type RunRecord,
  type RunSummary,
} from '../../core/record/run-record.ts'
import { artifactsFolder } from '../attempt/artifact-files.ts'
import type { FollowOptions, RunFilter, UndecidedCall } from '../engine.ts'
import { hasDatabase } from './database.ts'
import { readEventRow } from './event-log.ts'
import { openToRead } from './open-to-read.ts'
import { isOwned } from './ownership.ts'
import { readAttemptRow, readQuestionRecord, readRunRow, readSummaryRow } from './record-rows.ts'
import { readHistory } from './run-history.ts'
import { findRunByKey, readStoredRun } from './run-rows.ts'
import { readStepRow } from './step-rows.ts'
import { findUndecided } from './undecided.ts'

/**
 * The record of a data directory, to look at while runs go on in this or in other processes. Changes nothing.
 *
 * A run that was resumed has several `run_started` and `run_finished` in its log. What a resumed run only reads from its
 * journal is not told a second time: a step that had ended keeps its events of then. A step that had not begins anew,
 * with its counts, from the next `step_started` on.
 */
export interface RunReader {
  /** The newest first. */
  listRuns(filter?: RunFilter): readonly RunSummary[]
  /** Undefined: there is no such run. */
  readRun(runId: string): RunRecord | undefined
  /** The id of the run that was started with this key. */
  findRunByKey(key: string): string | undefined
  /** The journal of a run, attempt by attempt in the order they began. */
  readAttempts(runId: string): IterableIterator<AttemptRecord>
  /** The writes of a run of which nobody knows whether they were carried out: those that `decideOutcome` settles. */
  readUndecided(runId: string): readonly UndecidedCall[]
  /** The log of a run as far as it goes now. */
  readEvents(runId: string, afterSeq?: number): IterableIterator<RecordedEvent>
  /** The log of a run as it grows: within a quarter of a second. Ends when the run is no longer going on anywhere. */
  followEvents(runId: string, options?: FollowOptions): AsyncIterableIterator<RecordedEvent>
  close(): void
}

/**
 * Opens the record of a data directory, also where nothing can be written in it; undefined where there is none yet.
 * Throws `DataDirUnusable`.
 */
export function openRunReader(dataDir: string): RunReader | undefined {
  if (!hasDatabase(dataDir)) return undefined
  const database = openToRead(dataDir)
  const statusOf = liveStatus(dataDir)
  return {
    listRuns: (filter = {}) => listRuns(database, filter, statusOf),
    readRun: (runId) => readRun(database, dataDir, runId, statusOf),
    findRunByKey: (key) => findRunByKey(database, key),
    readAttempts: (runId) => readAttempts(database, runId),
    readUndecided(runId) {
      const run = readStoredRun(database, runId)
      return run ? findUndecided(database, run) : []
    },
    readEvents: (runId, afterSeq = 0) => readEvents(database, runId, afterSeq),
    followEvents: (runId, options = {}) => followEvents(database, dataDir, runId, options),
    close: () => database.close(),
  }
}

type Row = Readonly<Record<string, unknown>>
type StatusOf = (row: Row) => RecordedStatus

/** What the table calls running is so only while its owner lives. */
function liveStatus(dataDir: string): StatusOf {
  return ({ id, status, waits, open_questions, last_control_request }) => {
    if (status !== 'running') return status as RecordedStatus
    if (waits === 1) return 'queued'
    if (!isOwned(dataDir, String(id))) return 'interrupted'
    if (last_control_request === 'pause') return 'paused'
    return Number(open_questions) > 0 ? 'waiting' : 'running'
  }
}

const summaryColumns = `runs.id AS id, key, runbook, title, labels, status, error, started_at, started_by, started_from, waits, ended_at,
  (SELECT count(*) FROM questions WHERE run_id = runs.id AND superseded = 0 AND questions.status = 'open') AS open_questions,
  (SELECT kind FROM control_requests WHERE run_id = runs.id AND over_at IS NULL ORDER BY id DESC LIMIT 1) AS last_control_request`

function listRuns(
  database: DatabaseSyncInstance,
  { status, runbook, labels = {}, startedFromMs, startedBeforeMs, limit = 100 }: RunFilter,
  statusOf: StatusOf,
): readonly RunSummary[] {
  const rows = database
    .prepare(
      `SELECT ${summaryColumns} FROM runs
       WHERE (? IS NULL OR runbook = ?) AND started_at >= ? AND started_at < ? ORDER BY started_at DESC, rowid DESC`,
    )
    .iterate(
      runbook ?? null,
      runbook ?? null,
      startedFromMs ?? 0,
      startedBeforeMs ?? Number.MAX_SAFE_INTEGER,
    ) as IterableIterator<Row>
  const found: RunSummary[] = []
  for (const row of rows) {
    if (found.length >= limit) break
    const summary = readSummaryRow(row, statusOf(row))
    const isWanted = status === undefined || status.includes(summary.status)
    const hasLabels = Object.entries(labels).every(([name, value]) => summary.labels[name] === value)
    if (isWanted && hasLabels) found.push(summary)
  }
  return found
}

function readRun(
  database: DatabaseSyncInstance,
  dataDir: string,
  runId: string,
  statusOf: StatusOf,
): RunRecord | undefined {
  const row = database
    .prepare(
      `SELECT ${summaryColumns}, connection, warnings, inputs, outputs, plan
       FROM runs JOIN plans ON plans.id = runs.plan_id WHERE runs.id = ?`,
    )
    .get(runId) as Row | undefined
  if (!row) return undefined
  const status = statusOf(row)
  const isGoingOn = isCarriedOut(status)
  const all = (sql: string): readonly Row[] => database.prepare(sql).all(runId) as Row[]
  const steps = all('SELECT * FROM steps WHERE run_id = ? ORDER BY position').map(readStepRow)
  return {
    ...readSummaryRow(row, status),
    ...readRunRow(row),
    ...readHistory(database, runId),
    steps: isGoingOn
      ? steps
      : steps.map((step) => (step.status === 'running' ? { ...step, status: 'interrupted' } : step)),
    questions: all('SELECT * FROM questions WHERE run_id = ? ORDER BY asked_at, superseded').map(
      readQuestionRecord,
    ),
    artifacts: all('SELECT file, path FROM artifacts WHERE run_id = ? ORDER BY file').map((row) =>
      readArtifact(row, artifactsFolder(dataDir, runId)),
    ),
    artifacts_dir: artifactsFolder(dataDir, runId),
  }
}

function readArtifact({ file, path }: Row, folder: string): ArtifactRecord {
  const size = statSync(join(folder, String(file)), { throwIfNoEntry: false })?.size
  return { file: String(file), path: String(path), ...(size === undefined ? {} : { bytes: size }) }
}

function* readAttempts(database: DatabaseSyncInstance, runId: string): IterableIterator<AttemptRecord> {
  // One by one: outputs are large. No reading holds up those who write.
  const ids = database.prepare('SELECT id FROM attempts WHERE run_id = ? ORDER BY started_at, id').all(runId)
  const select = database.prepare(
    `SELECT *, EXISTS (
       SELECT 1 FROM attempts AS later WHERE later.run_id = attempts.run_id AND later.path = attempts.path
         AND later.attempt = attempts.attempt + 1 AND later.superseded = attempts.superseded
     ) AS is_repeated
     FROM attempts WHERE id = ?`,
  )
  for (const { id } of ids) {
    const row = select.get(id as number) as Row | undefined
    if (row) yield readAttemptRow(row)
  }
}

const eventsPage = 500

function* readEvents(
  database: DatabaseSyncInstance,
  runId: string,
  afterSeq: number,
): IterableIterator<RecordedEvent> {
  const select = database.prepare('SELECT * FROM events WHERE run_id = ? AND seq > ? ORDER BY seq LIMIT ?')
  let last = afterSeq
  for (;;) {
    const rows = select.all(runId, last, eventsPage) as Row[]
    if (rows.length === 0) return
    last = Number(rows.at(-1)?.['seq'])
    yield* rows.map((row) => readEventRow(row, runId))
  }
}

const pollMs = 100

async function* followEvents(
  database: DatabaseSyncInstance,
  dataDir: string,
  runId: string,
  { afterSeq = 0, signal }: FollowOptions,
): AsyncIterableIterator<RecordedEvent> {
  const select = database.prepare('SELECT status, waits FROM runs WHERE id = ?')
  let last = afterSeq
  for (;;) {
    // Looked at first: what a run does last is in its log before the run is over.
    const row = select.get(runId)
    const isGoingOn = row?.['status'] === 'running' && (row['waits'] === 1 || isOwned(dataDir, runId))
    for (const recorded of readEvents(database, runId, last)) {
      if (signal?.aborted) return
      last = recorded.seq
      yield recorded
    }
    if (!isGoingOn || signal?.aborted) return
    await sleep(pollMs, undefined, signal ? { signal } : {}).catch(() => {})
  }
}
