import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite'
import { RunbookError } from '../../core/run-error.ts'
import { migrations } from './migrations.ts'

/** What this version of the tables is called in the file. */
export const schemaVersion: number = migrations.length

/** Where the database of a data directory is. */
export function databaseFile(dataDir: string): string {
  return join(dataDir, 'opsbook.db')
}

/** The locks of runs. The folder is made once the tables are there, so it proves that there was a database. */
export function ownersFolder(dataDir: string): string {
  return join(dataDir, 'owners')
}

/** Whether a run has ever been recorded in a data directory. Also true where its database has been lost since. */
export function hasDatabase(dataDir: string): boolean {
  return existsSync(databaseFile(dataDir)) || existsSync(ownersFolder(dataDir))
}

/**
 * Opens the database of a data directory, and makes both where they are missing. Every commit is on disk when it returns.
 * An empty database where there was one is damage, and stays as it is: a new one would repeat what is done.
 */
export function openDatabase(dataDir: string): DatabaseSyncInstance {
  const file = databaseFile(dataDir)
  try {
    makeDirectory(resolve(dataDir))
    // Before SQLite opens it: it removes the log of an empty file.
    refuseLost(dataDir, () => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) < smallestBytes)
    makeFile(file)
    const database = new DatabaseSync(file)
    try {
      database.exec(
        // Waiting first: another process may be setting the file up. A new file is asked to be able to shrink.
        'PRAGMA busy_timeout = 10000; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = OFF',
      )
      migrate(database, dataDir)
      makeDirectory(resolve(ownersFolder(dataDir)))
      database.exec('PRAGMA foreign_keys = ON')
    } catch (error) {
      database.close()
      throw error
    }
    return database
  } catch (error) {
    if (RunbookError.is(error)) throw error
    throw new RunbookError('DataDirUnusable', `cannot use the data directory ${dataDir}: ${reason(error)}`, {
      cause: error,
    })
  }
}

/** Not `mkdir -p` of Node, which never returns for a folder that a parent like /proc refuses to hold. */
export function makeDirectory(path: string): void {
  if (existsSync(path)) return
  makeDirectory(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process may have made it in between.
    if (!existsSync(path)) throw error
  }
}

/**
 * Only for its owner, whatever the directory allows; SQLite gives its side files the same mode. A file that is there is
 * not touched: closing it would drop the locks that other connections of this process hold on it.
 */
export function makeFile(file: string): void {
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600))
}

/** The header of a SQLite file. */
const smallestBytes = 100

function refuseLost(dataDir: string, isEmpty: () => boolean): void {
  // In this order: another process may be making the database, and makes the folder last.
  if (!existsSync(ownersFolder(dataDir)) || !isEmpty()) return
  const message = `${databaseFile(dataDir)} is damaged: it is empty or missing, and ${ownersFolder(dataDir)} shows that runs were recorded in it; restore it from a backup, or name another data directory to begin anew`
  throw new RunbookError('DataDirUnusable', message, { notSent: true })
}

function migrate(database: DatabaseSyncInstance, dataDir: string): void {
  if (readVersion(database) === schemaVersion) return
  // Read again under the lock: another process may have been faster.
  database.exec('BEGIN IMMEDIATE')
  try {
    const from = readVersion(database)
    refuseLost(dataDir, () => from === 0)
    if (from > schemaVersion) {
      const message = `${databaseFile(dataDir)} was written by a newer Opsbook (schema ${from}, this one knows ${schemaVersion}): update Opsbook`
      throw new RunbookError('DataDirUnusable', message)
    }
    for (const migration of migrations.slice(from)) database.exec(migration)
    database.exec(`PRAGMA user_version = ${schemaVersion}; COMMIT`)
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}

export function readVersion(database: DatabaseSyncInstance): number {
  return Number(database.prepare('PRAGMA user_version').get()?.['user_version'])
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
