import { existsSync, rmSync, statSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { artifactsFolder, claimsFolder } from '../attempt/artifact-files.ts'
import { ownersFolder } from './database.ts'
import { inTransaction } from './in-transaction.ts'
import { isOwned } from './ownership.ts'

/** The tables whose rows belong to runs: which column tells the rows of one run apart, and how many go at once. */
const tables = [
  // Outputs are large.
  { name: 'attempts', column: 'id', atOnce: 50 },
  { name: 'events', column: 'seq', atOnce: 500 },
  { name: 'steps', column: 'path', atOnce: 500 },
  { name: 'marks', column: 'path', atOnce: 500 },
  { name: 'artifacts', column: 'key', atOnce: 500 },
  { name: 'questions', column: 'path', atOnce: 500 },
  { name: 'control_requests', column: 'id', atOnce: 500 },
  { name: 'decisions', column: 'id', atOnce: 500 },
  { name: 'resumes', column: 'number', atOnce: 500 },
  { name: 'notices', column: 'id', atOnce: 500 },
] as const

/** Removes what is recorded of a run that is not there any more. */
export async function removeRowsOf(database: DatabaseSyncInstance, runId: string): Promise<void> {
  for (const { name, column, atOnce } of tables) {
    const remove = database.prepare(
      `DELETE FROM ${name} WHERE run_id = ? AND ${column} IN (SELECT ${column} FROM ${name} WHERE run_id = ? LIMIT ?)`,
    )
    await repeat(() => inTransaction(database, () => Number(remove.run(runId, runId, atOnce).changes)))
  }
}

/** Removes rows of runs that are not there any more, plans that nobody refers to, and what is told of no run. */
export async function removeLeftoverRows(database: DatabaseSyncInstance, beforeMs: number): Promise<void> {
  const isThere = database.prepare('SELECT 1 FROM runs WHERE id = ?')
  for (const { name } of tables) {
    // From one run to the next: a row of each is looked at, and not all of them.
    const next = database.prepare(`SELECT min(run_id) AS id FROM ${name} WHERE run_id > ?`)
    for (let id = next.get('')?.['id']; typeof id === 'string'; id = next.get(id)?.['id'])
      if (isThere.get(id) === undefined) await removeRowsOf(database, id)
  }
  inTransaction(database, () =>
    database
      .prepare(
        `DELETE FROM notices
         WHERE run_id IS NULL AND created_at < ? AND (delivered_at IS NOT NULL OR given_up_at IS NOT NULL)`,
      )
      .run(beforeMs),
  )
  inTransaction(database, () =>
    database.exec(
      `DELETE FROM plans WHERE id NOT IN (SELECT plan_id FROM runs)
         AND id NOT IN (SELECT plan_id_before FROM resumes WHERE plan_id_before IS NOT NULL)`,
    ),
  )
}

/** A run takes its lock just before it is recorded: a file that is new may be about to have a run. */
const settledMs = 3_600_000

/** Removes files of runs that are not there any more. */
export async function removeLeftoverFiles(database: DatabaseSyncInstance, dataDir: string): Promise<void> {
  const isThere = database.prepare('SELECT 1 FROM runs WHERE id = ?')
  // What has claims is of workers that share the directory: their server knows the run.
  for (const id of await readdir(join(dataDir, 'runs')).catch(() => []))
    if (id.startsWith('run_') && isThere.get(id) === undefined && !existsSync(claimsFolder(dataDir, id)))
      await rm(artifactsFolder(dataDir, id), { recursive: true, force: true })
  for (const file of await readdir(ownersFolder(dataDir)).catch(() => [])) {
    const path = join(ownersFolder(dataDir), file)
    const id = file.replace(/\.lock$/, '')
    const changedMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY
    if (isThere.get(id) !== undefined || changedMs > Date.now() - settledMs) continue
    if (!isOwned(dataDir, id)) rmSync(path, { force: true })
  }
}

const pagesAtOnce = 500

/** Gives free pages of the file back, a few at a time. Answers with how many bytes that were. */
export async function giveBackSpace(database: DatabaseSyncInstance): Promise<number> {
  const read = (pragma: string): number =>
    Number(Object.values(database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0] ?? 0)
  const before = read('page_count')
  await repeat(() => {
    const free = read('freelist_count')
    if (free === 0) return 0
    // Does nothing in a file that was made by a version that did not ask for it: its free pages are used again.
    database.prepare(`PRAGMA incremental_vacuum(${pagesAtOnce})`).all()
    return free - read('freelist_count')
  })
  database.prepare('PRAGMA wal_checkpoint(PASSIVE)').all()
  return (before - read('page_count')) * read('page_size')
}

/** Works until nothing is left, and rests after each piece as long as it took: others want to write, too. */
async function repeat(work: () => number): Promise<void> {
  for (;;) {
    const startedAt = performance.now()
    if (work() === 0) return
    await sleep(Math.max(1, performance.now() - startedAt))
  }
}
