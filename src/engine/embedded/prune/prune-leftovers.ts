import { existsSync, rmSync, statSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { artifactsFolder, claimsFolder } from '../../attempt/index.ts'
import { inTransaction, ownersFolder } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import { isOwned } from '../run/ownership.ts'

/**
 * The tables whose rows belong to runs, with the column that identifies a row of one run, and the size of one deletion.
 */
const tables = [
  // Few at a time, since these rows are large.
  { name: 'attempts', column: 'id', atOnce: 50 },
  { name: 'events', column: 'seq', atOnce: 50 },
  { name: 'steps', column: 'path', atOnce: 500 },
  { name: 'first_reached', column: 'path', atOnce: 500 },
  { name: 'artifacts', column: 'key', atOnce: 500 },
  { name: 'questions', column: 'path', atOnce: 500 },
  { name: 'taken_events', column: 'event', atOnce: 500 },
  { name: 'control_requests', column: 'id', atOnce: 500 },
  { name: 'decisions', column: 'id', atOnce: 500 },
  { name: 'resumes', column: 'number', atOnce: 500 },
  { name: 'notices', column: 'id', atOnce: 500 },
] as const

/** Removes the rows of a removed run. */
export async function removeRowsOf(database: DatabaseSyncInstance, runId: string): Promise<void> {
  for (const { name, column, atOnce } of tables) {
    const remove = database.prepare(
      `DELETE FROM ${name} WHERE run_id = ? AND ${column} IN (SELECT ${column} FROM ${name} WHERE run_id = ? LIMIT ?)`,
    )
    await repeat(() => inTransaction(database, () => Number(remove.run(runId, runId, atOnce).changes)))
  }
}

/** Removes rows of removed runs, plans without a run, and settled notifications without a run. */
export async function removeLeftoverRows(database: DatabaseSyncInstance, beforeMs: number): Promise<void> {
  for (const { name } of tables) {
    // Steps from run to run through the index, without reading all rows.
    const next = database.prepare(`SELECT min(run_id) AS id FROM ${name} WHERE run_id > ?`)
    for (let id = next.get('')?.['id']; typeof id === 'string'; id = next.get(id)?.['id'])
      if (!isRun(database, id)) await removeRowsOf(database, id)
  }
  const change = (work: () => number): number => inTransaction(database, work)
  change(
    () => sql(database).run`
      DELETE FROM notices WHERE run_id IS NULL AND created_at < ${beforeMs}
        AND (delivered_at IS NOT NULL OR given_up_at IS NOT NULL)`,
  )
  change(
    () => sql(database).run`
      DELETE FROM plans WHERE id NOT IN (SELECT plan_id FROM runs)
        AND id NOT IN (SELECT plan_id_before FROM resumes WHERE plan_id_before IS NOT NULL)`,
  )
}

function isRun(database: DatabaseSyncInstance, runId: string): boolean {
  return sql(database).get`SELECT 1 FROM runs WHERE id = ${runId}` !== undefined
}

/** A run takes its lock before it is recorded, so a younger lock file may get a run. */
const settledMs = 3_600_000

/** Removes the files of removed runs. */
export async function removeLeftoverFiles(database: DatabaseSyncInstance, dataDir: string): Promise<void> {
  // Files with claims belong to workers that share the directory, and their server knows the run.
  for (const id of await readdir(join(dataDir, 'runs')).catch(() => []))
    if (id.startsWith('run_') && !isRun(database, id) && !existsSync(claimsFolder(dataDir, id)))
      await rm(artifactsFolder(dataDir, id), { recursive: true, force: true })
  for (const file of await readdir(ownersFolder(dataDir)).catch(() => [])) {
    const path = join(ownersFolder(dataDir), file)
    const id = file.replace(/\.lock$/, '')
    const changedMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY
    // The time of a file is the wall clock's.
    if (isRun(database, id) || changedMs > Date.now() - settledMs) continue
    if (!isOwned(dataDir, id)) rmSync(path, { force: true })
  }
}

const pagesAtOnce = 500

/** Returns free pages of the file to the file system, a few at a time. Returns the number of bytes. */
export async function releaseSpace(database: DatabaseSyncInstance): Promise<number> {
  const read = (pragma: string): number =>
    Number(Object.values(database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0] ?? 0)
  const before = read('page_count')
  await repeat(() => {
    const free = read('freelist_count')
    if (free === 0) return 0
    // Does nothing in a file without `auto_vacuum`, whose free pages are reused.
    database.prepare(`PRAGMA incremental_vacuum(${pagesAtOnce})`).all()
    return free - read('freelist_count')
  })
  sql(database).all`PRAGMA wal_checkpoint(PASSIVE)`
  return (before - read('page_count')) * read('page_size')
}

/**
 * Works in pieces until nothing is left. Pauses after each for as long as it took, so that other processes can write.
 */
async function repeat(work: () => number): Promise<void> {
  for (;;) {
    const startedAt = performance.now()
    if (work() === 0) return
    await sleep(Math.max(1, performance.now() - startedAt))
  }
}
