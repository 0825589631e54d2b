import { rm } from 'node:fs/promises'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { RunbookError } from '../../../core/run-error.ts'
import { artifactsFolder, folderSize } from '../../attempt/index.ts'
import { hasDatabase, inTransaction, openDatabase } from '../database/database.ts'
import { type SqlPart, sql, sqlPart } from '../database/sql.ts'
import { isOwned, type Ownership, takeOwnership } from '../run/ownership.ts'
import { pruneEvents } from './prune-events.ts'
import { releaseSpace, removeLeftoverFiles, removeLeftoverRows, removeRowsOf } from './prune-leftovers.ts'

/** The statuses of runs that can be removed. */
export type PrunableStatus = 'succeeded' | 'failed' | 'cancelled' | 'unknown' | 'interrupted'

/** Which runs are removed. */
export interface PruneOptions {
  readonly dataDir: string
  /** Only runs that ended before this Unix time in milliseconds. */
  readonly endedBeforeMs: number
  /**
   * Only runs with these statuses. Runs that can be resumed are removed only if their status is named.
   * @default those that succeeded, failed or were cancelled
   */
  readonly status?: readonly PrunableStatus[]
  /** Only runs of the runbook of this name. */
  readonly runbook?: string
  /** Only returns what would be removed. */
  readonly isDryRun?: boolean
}

/** A run that was, or would be, removed. */
export interface PrunedRun {
  readonly run_id: string
  readonly runbook: string
  readonly status: PrunableStatus
  /** RFC 3339: the time of its end, or of its last event. */
  readonly ended_at: string
  /** The size of its files. */
  readonly artifact_bytes: number
}

/** What was removed. */
export interface PruneReport {
  readonly runs: readonly PrunedRun[]
  /** Runs that a process executes now: they stay. */
  readonly in_use: readonly string[]
  /** The number of removed events. */
  readonly events: number
  /** The number of bytes by which the database file shrank. */
  readonly database_bytes: number
}

/**
 * Removes runs with their records and files, and the leftovers of an interrupted removal. Each transaction is short, so
 * other processes continue to work. The row of a run is removed first; the next removal finds the rest if the process
 * is killed.
 */
export async function pruneRuns(options: PruneOptions): Promise<PruneReport> {
  const { dataDir, isDryRun = false } = options
  if (!hasDatabase(dataDir)) return { runs: [], in_use: [], events: 0, database_bytes: 0 }
  const database = openDatabase(dataDir)
  // The rows of a run are removed after it, a few at a time.
  database.exec('PRAGMA foreign_keys = OFF')
  try {
    const runs: PrunedRun[] = []
    const inUse: string[] = []
    for (const id of findRuns(database, options)) {
      const done = isDryRun
        ? await describeRun(database, id, options)
        : await removeRun(database, id, options)
      if (done === 'in-use') inUse.push(id)
      else if (done) runs.push(done)
    }
    // A filter by runbook selects runs only.
    const events = options.runbook === undefined ? await pruneEvents(database, options) : 0
    if (isDryRun) return { runs, in_use: inUse, events, database_bytes: 0 }
    await removeLeftoverRows(database, options.endedBeforeMs)
    await removeLeftoverFiles(database, dataDir)
    return { runs, in_use: inUse, events, database_bytes: await releaseSpace(database) }
  } finally {
    database.close()
  }
}

const defaultStatuses: readonly PrunableStatus[] = ['succeeded', 'failed', 'cancelled']

/** The time of the end, or of the last event if the process died. */
const lastEventAt: SqlPart = sqlPart`coalesce(ended_at, (SELECT at FROM events WHERE run_id = runs.id ORDER BY seq DESC LIMIT 1), started_at)`

/** The runs that may be removed, oldest first. A run that the table calls running may be interrupted. */
function findRuns(
  database: DatabaseSyncInstance,
  { endedBeforeMs, status = defaultStatuses, runbook }: PruneOptions,
): readonly string[] {
  const statuses = status.includes('interrupted') ? [...status, 'running'] : status
  return sql(database).all`
    SELECT id FROM runs WHERE status IN (SELECT value FROM json_each(${JSON.stringify(statuses)}))
      AND (${runbook} IS NULL OR runbook = ${runbook})
    AND ${lastEventAt} < ${endedBeforeMs} ORDER BY started_at, id`.map(({ id }) => String(id))
}

async function describeRun(
  database: DatabaseSyncInstance,
  id: string,
  options: PruneOptions,
): Promise<PrunedRun | 'in-use' | undefined> {
  if (isOwned(options.dataDir, id)) return 'in-use'
  const row = readRun(database, id, options)
  return row && { ...row, artifact_bytes: await folderSize(artifactsFolder(options.dataDir, id)) }
}

async function removeRun(
  database: DatabaseSyncInstance,
  id: string,
  options: PruneOptions,
): Promise<PrunedRun | 'in-use' | undefined> {
  const { dataDir } = options
  const ownership = own(dataDir, id)
  if (!ownership) return 'in-use'
  let isGone = false
  try {
    // Read again under the ownership, since another process may have resumed it.
    const row = readRun(database, id, options)
    if (!row) return undefined
    const folder = artifactsFolder(dataDir, id)
    const bytes = await folderSize(folder)
    // Removed first, so that no process resumes a run whose journal is incomplete.
    inTransaction(database, () => sql(database).run`DELETE FROM runs WHERE id = ${id}`)
    isGone = true
    await rm(folder, { recursive: true, force: true })
    await removeRowsOf(database, id)
    return { ...row, artifact_bytes: bytes }
  } finally {
    ownership.release(isGone)
  }
}

function own(dataDir: string, id: string): Ownership | undefined {
  try {
    return takeOwnership(dataDir, id)
  } catch (error) {
    if (RunbookError.is(error) && error.code === 'RunInUse') return undefined
    throw error
  }
}

function readRun(
  database: DatabaseSyncInstance,
  id: string,
  { endedBeforeMs, status = defaultStatuses }: PruneOptions,
): Omit<PrunedRun, 'artifact_bytes'> | undefined {
  const row = sql(database).get`
    SELECT runbook, status, ${lastEventAt} AS last_event_at FROM runs WHERE id = ${id}`
  if (!row || Number(row['last_event_at']) >= endedBeforeMs) return undefined
  // The caller owns the run, so no process executes it.
  const statusNow = (row['status'] === 'running' ? 'interrupted' : row['status']) as PrunableStatus
  if (!status.includes(statusNow)) return undefined
  return {
    run_id: id,
    runbook: String(row['runbook']),
    status: statusNow,
    ended_at: new Date(Number(row['last_event_at'])).toISOString(),
  }
}
