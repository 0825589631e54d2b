import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { TimedRunEvent } from '../../../core/events.ts'
import {
  type ArtifactRecord,
  type AttemptRecord,
  hasText,
  inputsHaveText,
  isExecuted,
  isPathInside,
  type RecordedEvent,
  type RecordedStatus,
  type RunRecord,
  type RunState,
  type RunSummary,
  type StepRecord,
  type WaitingAttempt,
} from '../../../core/record/index.ts'
import { artifactsFolder } from '../../attempt/index.ts'
import type { FollowOptions, Inbox, RunFilter, UnresolvedCall } from '../../index.ts'
import { readLine } from '../concurrency/key-rows.ts'
import { findUnresolvedCalls } from '../control/unresolved-calls.ts'
import { hasDatabase } from '../database/database.ts'
import { openToRead } from '../database/open-to-read.ts'
import { type Row, sql } from '../database/sql.ts'
import { readEvents, readNewestEvents } from '../tables/event-log.ts'
import { isListening } from '../tables/queue-rows.ts'
import { findRunByKey, readStoredRun } from '../tables/run-rows.ts'
import { readStepRow } from '../tables/step-rows.ts'
import { openCurrentSteps } from './current-step.ts'
import { followEvents } from './follow-events.ts'
import { liveStatus, type StatusOf, summaryColumns } from './live-status.ts'
import { readInbox } from './read-inbox.ts'
import { readAttemptRow, readHistory, readQuestionRecord, readRunRow, readSummaryRow } from './record-rows.ts'

/**
 * Reads the record of a data directory while this and other processes execute runs. Changes nothing.
 *
 * A resumed run has several `run_started` and `run_finished` events. It does not record again what it replays: a
 * completed step keeps its first events. An unfinished step starts anew, with its counts, at its next `step_started`.
 */
export interface RunReader {
  /** The newest first. */
  listRuns(filter?: RunFilter): readonly RunSummary[]
  /** Undefined: there is no such run. */
  readRunState(runId: string): RunState | undefined
  /** Undefined: there is no such run. `isWithoutSteps`: leaves `steps` empty. */
  readRun(runId: string, part?: { readonly isWithoutSteps?: true }): RunRecord | undefined
  /** The id of the run that was started with this key. */
  findRunByKey(key: string): string | undefined
  /** The attempts of a run in the order in which they began. */
  readAttempts(runId: string, inside?: string): IterableIterator<AttemptRecord>
  /** The names of the files that calls of the run have claimed. */
  listFiles(runId: string): readonly string[]
  /** The writes of a run with an unknown outcome, which `decideOutcome` resolves. */
  readUnresolvedCalls(runId: string): readonly UnresolvedCall[]
  /** What waits for a person, in all runs. */
  readInbox(): Inbox
  /** The events that are recorded so far. `inside`: only those of the run itself, of this path and of what is inside it. */
  readEvents(runId: string, afterSeq?: number, inside?: string): IterableIterator<RecordedEvent>
  /** The events of a run, within 250 ms of being recorded. Ends when no process executes the run. */
  followEvents(runId: string, options?: FollowOptions): AsyncIterableIterator<RecordedEvent>
  close(): void
}

/**
 * Opens the record of a data directory, even if the directory is read-only. Undefined: there is no record yet. Throws
 * `DataDirUnusable`.
 */
export function openRunReader(dataDir: string): RunReader | undefined {
  if (!hasDatabase(dataDir)) return undefined
  const database = openToRead(dataDir)
  const statusOf = liveStatus(dataDir)
  const record: OpenRecord = { database, dataDir, statusOf }
  return {
    listRuns: (filter = {}) => listRuns(record, filter),
    readRunState: (runId) => readRunState(record, runId),
    readRun: (runId, { isWithoutSteps } = {}) => {
      const run = readRun(record, runId)
      return run && { ...run, steps: isWithoutSteps ? [] : readSteps(database, run) }
    },
    findRunByKey: (key) => findRunByKey(database, key),
    readAttempts: (runId, inside) => readAttempts(database, runId, inside),
    listFiles: (runId) =>
      sql(database).all`SELECT file FROM artifacts WHERE run_id = ${runId}`.map(({ file }) => String(file)),
    readUnresolvedCalls(runId) {
      const run = readStoredRun(database, runId)
      return run ? findUnresolvedCalls(database, run) : []
    },
    readInbox: () => readInbox(database, statusOf),
    readEvents: (runId, afterSeq, inside) => readEvents(database, runId, afterSeq, inside),
    followEvents: (runId, options = {}) => followEvents(database, dataDir, runId, options),
    close: () => database.close(),
  }
}

interface OpenRecord {
  readonly database: DatabaseSyncInstance
  readonly dataDir: string
  readonly statusOf: StatusOf
}

/** What a run waits for that has not begun. */
function readPlaceInLine(
  { database, dataDir }: OpenRecord,
  { id, runbook, concurrency_key: key }: Row,
  status: RecordedStatus,
): Pick<RunSummary, 'place_in_line'> {
  if (status !== 'queued' || typeof key !== 'string') return {}
  const place = readLine(database, { dataDir, runbook: String(runbook), key }).placeOf(String(id))
  return place === undefined ? {} : { place_in_line: place }
}

function listRuns(
  record: OpenRecord,
  { status, runbook, labels = {}, text, startedFromMs, startedBeforeMs, limit = 100 }: RunFilter,
): readonly RunSummary[] {
  const { database, statusOf } = record
  const rows = sql(database).iterate`
    SELECT ${summaryColumns} FROM runs
    WHERE (${runbook} IS NULL OR runbook = ${runbook}) AND started_at >= ${startedFromMs ?? 0}
      AND started_at < ${startedBeforeMs ?? Number.MAX_SAFE_INTEGER}
    ORDER BY started_at DESC, rowid DESC`
  const currentStep = openCurrentSteps(database)
  const isInInputs = text === undefined ? undefined : openInputSearch(database, text)
  const found: RunSummary[] = []
  for (const row of rows) {
    if (found.length >= limit) break
    const summary = readSummaryRow(row, statusOf(row))
    const isWanted = status === undefined || status.includes(summary.status)
    const hasLabels = Object.entries(labels).every(([name, value]) => summary.labels[name] === value)
    if (!isWanted || !hasLabels) continue
    if (text !== undefined && !hasText(summary, text) && !isInInputs?.(summary)) continue
    const step = isExecuted(summary.status) ? currentStep(summary.run_id) : undefined
    found.push({
      ...summary,
      ...readPlaceInLine(record, row, summary.status),
      ...(step === undefined ? {} : { current_step: step }),
      ...readInFlight(database, summary),
    })
  }
  return found
}

/** Finds runs by a text in their inputs. */
function openInputSearch(database: DatabaseSyncInstance, text: string): (summary: RunSummary) => boolean {
  const written = JSON.stringify(text.toLowerCase()).slice(1, -1)
  return ({ run_id: runId }) => {
    const inputs = String(sql(database).get`SELECT inputs FROM runs WHERE id = ${runId}`?.['inputs'] ?? '')
    // To read the plan, which says what is sensitive, takes time.
    const run = inputs.toLowerCase().includes(written) ? readStoredRun(database, runId) : undefined
    return run !== undefined && inputsHaveText(run.inputs, run.plan, text)
  }
}

/** The create that was in flight when the process of an interrupted run ended: it needs a decision. */
function readInFlight(
  database: DatabaseSyncInstance,
  { run_id: runId, status, error }: RunSummary,
): Pick<RunSummary, 'error'> {
  if (status !== 'interrupted' || error !== undefined) return {}
  const run = readStoredRun(database, runId)
  const [call] = run ? findUnresolvedCalls(database, run) : []
  if (call === undefined) return {}
  const message = 'its process ended before an answer was recorded'
  return { error: { code: 'OutcomeUnknown', message, path: call.path } }
}

function readRunState(record: OpenRecord, runId: string): RunState | undefined {
  const row = sql(record.database).get`SELECT ${summaryColumns} FROM runs WHERE id = ${runId}`
  return row && stateOf(record, row, record.statusOf(row))
}

function stateOf(record: OpenRecord, row: Row, status: RecordedStatus): RunState {
  const { database } = record
  const runId = String(row['id'])
  return {
    ...readSummaryRow(row, status),
    ...readPlaceInLine(record, row, status),
    ...readHistory(database, runId),
    questions: sql(database)
      .all`SELECT * FROM questions WHERE run_id = ${runId} ORDER BY asked_at, superseded`.map(
      readQuestionRecord,
    ),
  }
}

function readRun(record: OpenRecord, runId: string): Omit<RunRecord, 'steps'> | undefined {
  const { database, dataDir } = record
  const row = sql(database).get`
    SELECT ${summaryColumns}, connection, warnings, inputs, outputs, plan
    FROM runs JOIN plans ON plans.id = runs.plan_id WHERE runs.id = ${runId}`
  if (!row) return undefined
  const status = record.statusOf(row)
  return {
    ...stateOf(record, row, status),
    ...readRunRow(row),
    artifacts: sql(database).all`SELECT file, path FROM artifacts WHERE run_id = ${runId} ORDER BY file`.map(
      (artifact) => readArtifact(artifact, artifactsFolder(dataDir, runId)),
    ),
    artifacts_dir: artifactsFolder(dataDir, runId),
    ...(isExecuted(status) ? readListening(database, runId) : {}),
  }
}

function readSteps(
  database: DatabaseSyncInstance,
  { run_id: runId, status }: RunSummary,
): readonly StepRecord[] {
  const steps = sql(database).all`SELECT * FROM steps WHERE run_id = ${runId} ORDER BY position`.map(
    readStepRow,
  )
  return isExecuted(status) && status !== 'queued'
    ? steps
    : steps.map((step) => (step.status === 'running' ? { ...step, status: 'interrupted' } : step))
}

/** The steps that wait for an event. What they wait for is in the log. */
function readListening(database: DatabaseSyncInstance, runId: string): Pick<RunRecord, 'waiting_attempts'> {
  const rows = sql(database).all`
    SELECT path, action, started_at FROM attempts WHERE run_id = ${runId} AND ${isListening}
      ORDER BY started_at`
  if (rows.length === 0) return {}
  const waits = newestWaits(database, runId, new Set(rows.map(({ path }) => String(path))))
  const waiting = rows.map(({ path, action, started_at }): WaitingAttempt => {
    const { message, until } = waits.get(String(path)) ?? {}
    return {
      path: String(path),
      action: String(action),
      reason: 'event',
      since: new Date(Number(started_at)).toISOString(),
      ...(message === undefined ? {} : { message }),
      ...(until === undefined ? {} : { until: new Date(until).toISOString() }),
    }
  })
  return { waiting_attempts: waiting }
}

type Waiting = Extract<TimedRunEvent, { readonly type: 'waiting' }>

/** What each of these paths has last begun to wait for. */
function newestWaits(
  database: DatabaseSyncInstance,
  runId: string,
  paths: ReadonlySet<string>,
): ReadonlyMap<string, Waiting> {
  const found = new Map<string, Waiting>()
  for (const { event } of readNewestEvents(database, runId, '"type":"waiting"')) {
    if (found.size === paths.size) break
    if (event.type === 'waiting' && paths.has(event.path) && !found.has(event.path))
      found.set(event.path, event)
  }
  return found
}

function readArtifact({ file, path }: Row, folder: string): ArtifactRecord {
  const size = statSync(join(folder, String(file)), { throwIfNoEntry: false })?.size
  return { file: String(file), path: String(path), ...(size === undefined ? {} : { bytes: size }) }
}

function* readAttempts(
  database: DatabaseSyncInstance,
  runId: string,
  inside: string | undefined,
): IterableIterator<AttemptRecord> {
  // One by one, since outputs are large and a long read would delay checkpoints.
  const ids = sql(database).all`
    SELECT id, path FROM attempts WHERE run_id = ${runId} ORDER BY started_at, id`.filter(
    ({ path }) => inside === undefined || isPathInside(String(path), inside),
  )
  for (const { id } of ids) {
    const row = sql(database).get`
      SELECT *, EXISTS (
      SELECT 1 FROM attempts AS later WHERE later.run_id = attempts.run_id AND later.path = attempts.path
      AND later.attempt = attempts.attempt + 1 AND later.superseded = attempts.superseded
      ) AS is_repeated
      FROM attempts WHERE id = ${id as number}`
    if (row) yield readAttemptRow(row)
  }
}
