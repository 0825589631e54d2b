import { rm } from 'node:fs/promises'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { RunbookError } from '../../core/run-error.ts'
import { artifactsFolder } from '../attempt/artifact-files.ts'
import { folderSize } from '../attempt/folder-size.ts'
import { hasDatabase, openDatabase } from './database.ts'
import { pruneEvents } from './events/prune-events.ts'
import { inTransaction } from './in-transaction.ts'
import { isOwned, type Ownership, takeOwnership } from './ownership.ts'
import { giveBackSpace, removeLeftoverFiles, removeLeftoverRows, removeRowsOf } from './prune-leftovers.ts'

/** How a run stands that can be removed. */
export type PrunableStatus = 'succeeded' | 'failed' | 'cancelled' | 'unknown' | 'interrupted'

/** Which runs are removed. */
export interface PruneOptions {
  readonly dataDir: string
  /** Only runs that ended before this Unix time in milliseconds. */
  readonly endedBeforeMs: number
  /**
   * Only runs that stand so. Those that somebody may want to go on with are removed only where they are named.
   * @default those that succeeded, failed or were cancelled
   */
  readonly status?: readonly PrunableStatus[]
  /** Only runs of the runbook of this name. */
  readonly runbook?: string
  /** Only says what would be removed. */
  readonly isDryRun?: boolean
}

/** A run that was, or would be, removed. */
export interface PrunedRun {
  readonly run_id: string
  readonly runbook: string
  readonly status: PrunableStatus
  /** RFC 3339: when it ended, or was heard of last. */
  readonly ended_at: string
  /** What its files took. */
  readonly artifact_bytes: number
}

/** What was removed. */
export interface PruneReport {
  readonly runs: readonly PrunedRun[]
  /** Runs that a process carries out by now: they are left. */
  readonly in_use: readonly string[]
  /** How many events were removed with what was decided of them. */
  readonly events: number
  /** By how much the file of the database is smaller. */
  readonly database_bytes: number
}

/**
 * Removes runs with all that is recorded of them and their files, and what an earlier removal has left where it was
 * killed. Other processes go on meanwhile: nothing is locked for long. A run that is removed is gone at once; a process
 * that is killed afterwards leaves rows and files that the next one finds.
 */
export async function pruneRuns(options: PruneOptions): Promise<PruneReport> {
  const { dataDir, isDryRun = false } = options
  if (!hasDatabase(dataDir)) return { runs: [], in_use: [], events: 0, database_bytes: 0 }
  const database = openDatabase(dataDir)
  // Rows that belong to a run go after it, a few at a time.
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
    // A runbook is for its own runs alone.
    const events = options.runbook === undefined ? await pruneEvents(database, options) : 0
    if (isDryRun) return { runs, in_use: inUse, events, database_bytes: 0 }
    await removeLeftoverRows(database, options.endedBeforeMs)
    await removeLeftoverFiles(database, dataDir)
    return { runs, in_use: inUse, events, database_bytes: await giveBackSpace(database) }
  } finally {
    database.close()
  }
}

const overForGood: readonly PrunableStatus[] = ['succeeded', 'failed', 'cancelled']

/** When the run was heard of last: one whose process died has no end of its own. */
const lastHeard = `coalesce(ended_at, (SELECT at FROM events WHERE run_id = runs.id ORDER BY seq DESC LIMIT 1), started_at)`

/** Runs that may be removed, the oldest first. What a table says of a run that is carried out says nothing yet. */
function findRuns(
  database: DatabaseSyncInstance,
  { endedBeforeMs, status = overForGood, runbook }: PruneOptions,
): readonly string[] {
  const statuses = status.includes('interrupted') ? [...status, 'running'] : status
  return database
    .prepare(
      `SELECT id FROM runs WHERE status IN (SELECT value FROM json_each(?)) AND (? IS NULL OR runbook = ?)
         AND ${lastHeard} < ? ORDER BY started_at, id`,
    )
    .all(JSON.stringify(statuses), runbook ?? null, runbook ?? null, endedBeforeMs)
    .map(({ id }) => String(id))
}

async function describeRun(
  database: DatabaseSyncInstance,
  id: string,
  options: PruneOptions,
): Promise<PrunedRun | 'in-use' | undefined> {
  if (isOwned(options.dataDir, id)) return 'in-use'
  const row = readRun(database, id, options)
  return row && { ...row, artifact_bytes: (await folderSize(artifactsFolder(options.dataDir, id))).bytes }
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
    // Looked at again once nobody else can change it: somebody may have gone on with it.
    const row = readRun(database, id, options)
    if (!row) return undefined
    const folder = artifactsFolder(dataDir, id)
    const { bytes } = await folderSize(folder)
    // First: from here on nobody goes on with a run that has lost a part of its journal.
    inTransaction(database, () => database.prepare('DELETE FROM runs WHERE id = ?').run(id))
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
  { endedBeforeMs, status = overForGood }: PruneOptions,
): Omit<PrunedRun, 'artifact_bytes'> | undefined {
  const row = database
    .prepare(`SELECT runbook, status, ${lastHeard} AS heard_at FROM runs WHERE id = ?`)
    .get(id)
  if (!row || Number(row['heard_at']) >= endedBeforeMs) return undefined
  // Nobody carries it out.
  const standing = (row['status'] === 'running' ? 'interrupted' : row['status']) as PrunableStatus
  if (!status.includes(standing)) return undefined
  return {
    run_id: id,
    runbook: String(row['runbook']),
    status: standing,
    ended_at: new Date(Number(row['heard_at'])).toISOString(),
  }
}
