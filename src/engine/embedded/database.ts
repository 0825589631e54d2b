import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite'
import { RunbookError } from '../../core/run-error.ts'

/** Bumped with each change of the tables; a migration from each older number stands in `migrations`. */
const schemaVersion = 1

const migrations: readonly string[] = [
  `CREATE TABLE runs (
     id TEXT PRIMARY KEY,
     runbook TEXT NOT NULL,
     plan_hash TEXT NOT NULL,
     plan TEXT NOT NULL,
     inputs TEXT NOT NULL,
     status TEXT NOT NULL,
     outputs TEXT,
     error TEXT,
     started_at INTEGER NOT NULL,
     ended_at INTEGER
   ) STRICT;
   CREATE TABLE attempts (
     run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
     path TEXT NOT NULL,
     attempt INTEGER NOT NULL,
     action TEXT NOT NULL,
     argument_hash TEXT NOT NULL,
     started_at INTEGER NOT NULL,
     ended_at INTEGER,
     output TEXT,
     error TEXT,
     request_id TEXT,
     PRIMARY KEY (run_id, path, attempt)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE steps (
     run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
     path TEXT NOT NULL,
     position INTEGER NOT NULL,
     name TEXT,
     action TEXT NOT NULL,
     status TEXT NOT NULL,
     attempts INTEGER NOT NULL,
     error TEXT,
     started_at INTEGER,
     ended_at INTEGER,
     PRIMARY KEY (run_id, path)
   ) STRICT, WITHOUT ROWID;`,
]

/** Opens the database of a data directory, and makes both where they are missing. Every commit is on disk when it returns. */
export function openDatabase(dataDir: string): DatabaseSyncInstance {
  const file = join(dataDir, 'opsbook.db')
  try {
    makeDirectory(resolve(dataDir))
    // Only for its owner, whatever the directory allows; SQLite gives its side files the same mode.
    closeSync(openSync(file, 'a', 0o600))
    const database = new DatabaseSync(file)
    try {
      database.exec(
        // Waiting first: another process may be setting the file up.
        'PRAGMA busy_timeout = 10000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON',
      )
      migrate(database, file)
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
function makeDirectory(path: string): void {
  if (existsSync(path)) return
  makeDirectory(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}

function migrate(database: DatabaseSyncInstance, file: string): void {
  const version = (): number => Number(database.prepare('PRAGMA user_version').get()?.['user_version'])
  if (version() === schemaVersion) return
  database.exec('BEGIN IMMEDIATE')
  try {
    const from = version()
    if (from > schemaVersion) {
      const message = `${file} was written by a newer Opsbook (schema ${from}, this one knows ${schemaVersion}): update Opsbook`
      throw new RunbookError('DataDirUnusable', message)
    }
    for (const migration of migrations.slice(from)) database.exec(migration)
    database.exec(`PRAGMA user_version = ${schemaVersion}; COMMIT`)
  } catch (error) {
    database.exec('ROLLBACK')
    throw error
  }
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
