import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite'
import { RunbookError } from '../../core/run-error.ts'
import { damagedDatabase, fileProblem, isDamage } from '../../engine/index.ts'

/** The version of the tables. A file with another one is refused. */
const version = 5

const tables = `
CREATE TABLE audit (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at_ms INTEGER NOT NULL,
  who TEXT,
  outcome TEXT,
  count INTEGER NOT NULL DEFAULT 1,
  record TEXT NOT NULL
) STRICT;
CREATE INDEX audit_who ON audit (who, id);
CREATE INDEX audit_outcome ON audit (outcome, id);
CREATE TABLE tokens (
  id TEXT PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  expires_ms INTEGER NOT NULL,
  is_revoked INTEGER NOT NULL DEFAULT 0,
  record TEXT NOT NULL
) STRICT;
CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  ends_ms INTEGER NOT NULL,
  record TEXT NOT NULL
) STRICT;
CREATE TABLE form_key (key BLOB NOT NULL) STRICT;
INSERT INTO form_key VALUES (randomblob(32));
`

/** The path of the database of a console. It is in the data directory of its process, whatever the engine. */
function fileIn(dataDir: string): string {
  return join(dataDir, 'console.db')
}

/** Whether a console has ever kept something in a data directory. Throws `DataDirUnusable` where that cannot be known. */
export function hasConsoleStore(dataDir: string): boolean {
  try {
    statSync(fileIn(dataDir))
    return true
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw unusable(fileIn(dataDir), cause)
  }
}

/**
 * Opens the database of a console, and creates it where it is missing; only its owner can read it. Every write is on
 * disk when it returns. Throws `DataDirUnusable`.
 */
export function openConsoleDatabase(dataDir: string): DatabaseSyncInstance {
  const file = fileIn(dataDir)
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600))
    const database = new DatabaseSync(file)
    try {
      database.exec('PRAGMA busy_timeout = 10000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
      makeTables(database, file)
      return database
    } catch (error) {
      database.close()
      throw error
    }
  } catch (cause) {
    throw unusable(file, cause)
  }
}

/** A database that lasts as long as its process. */
export function openMemoryDatabase(): DatabaseSyncInstance {
  const database = new DatabaseSync(':memory:')
  makeTables(database)
  return database
}

/** The same methods, which throw `DataDirUnusable` where the file fails. */
export function withReasons<Methods extends object>(methods: Methods, dataDir: string): Methods {
  const guarded = Object.entries(methods).map(([name, method]: readonly [string, Method]) => {
    const call: Method = (...given) => {
      try {
        return method(...given)
      } catch (cause) {
        throw unusable(fileIn(dataDir), cause)
      }
    }
    return [name, call]
  })
  return Object.fromEntries(guarded) as Methods
}

type Method = (...given: readonly unknown[]) => unknown

function unusable(file: string, cause: unknown): RunbookError {
  if (RunbookError.is(cause)) return cause
  if (isDamage(cause)) return damagedDatabase(file, cause.message, { cause })
  return new RunbookError('DataDirUnusable', `cannot use ${file}: ${fileProblem(cause)}`, { cause })
}

function makeTables(database: DatabaseSyncInstance, file = ''): void {
  database.exec('BEGIN IMMEDIATE')
  const found = Number(database.prepare('PRAGMA user_version').get()?.['user_version'])
  if (found !== 0 && found !== version)
    throw new RunbookError('DataDirUnusable', `${file} was written by another version of Opsbook`, {
      next: 'Use the version that wrote it. Or name another data directory with --data-dir, or move the file away: it holds the audit, the tokens and the sessions.',
    })
  if (found === 0) database.exec(`${tables}; PRAGMA user_version = ${version}`)
  database.exec('COMMIT')
}
