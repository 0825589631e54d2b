import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite'
import { RunbookError } from '../../../core/run-error.ts'
import { damagedDatabase, fileProblem, isDamage } from '../../index.ts'
import { databaseSchema } from './schema.ts'
import { otherSchema, schemaNumber, useThatVersion } from './schema-number.ts'

/** The version of the tables. A database with another one is refused. */
export const schemaVersion: number = schemaNumber(databaseSchema)

/** The path of the database of a data directory. */
export function databaseFile(dataDir: string): string {
  return join(dataDir, 'opsbook.db')
}

/** The folder with the locks of runs. It is created after the tables, so it proves that there was a database. */
export function ownersFolder(dataDir: string): string {
  return join(dataDir, 'owners')
}

/**
 * Whether a run was ever recorded in a data directory. Also true if its database was lost since. Throws `DataDirUnusable`
 * where that cannot be known: a folder that may not be read is no empty one.
 */
export function hasDatabase(dataDir: string): boolean {
  try {
    return isThere(databaseFile(dataDir)) || isThere(ownersFolder(dataDir))
  } catch (error) {
    throw unusable(dataDir, error)
  }
}

function isThere(path: string): boolean {
  try {
    statSync(path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

function unusable(dataDir: string, cause: unknown): RunbookError {
  if (isDamage(cause)) return damagedDatabase(databaseFile(dataDir), cause.message, { cause })
  const message = `cannot use the data directory ${dataDir}: ${fileProblem(cause)}`
  return new RunbookError('DataDirUnusable', message, { cause })
}

/**
 * Opens the database of a data directory, and creates both if they are missing. Every commit is on disk when it
 * returns. An empty database where there was one is damaged, and stays unchanged: a new one would repeat completed
 * calls.
 */
export function openDatabase(dataDir: string): DatabaseSyncInstance {
  const file = databaseFile(dataDir)
  try {
    makeDirectory(resolve(dataDir))
    // Checked before SQLite opens the file, since it removes the log of an empty file.
    refuseLost(dataDir, () => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) < smallestBytes)
    makeFile(file)
    const database = new DatabaseSync(file)
    try {
      database.exec(
        // First the wait, since another process may be creating the tables. `auto_vacuum` lets a new file shrink later.
        'PRAGMA busy_timeout = 10000; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = OFF',
      )
      makeTables(database, dataDir)
      makeDirectory(resolve(ownersFolder(dataDir)))
      database.exec('PRAGMA foreign_keys = ON')
    } catch (error) {
      database.close()
      throw error
    }
    return database
  } catch (error) {
    if (RunbookError.is(error)) throw error
    throw unusable(dataDir, error)
  }
}

/** Opens the database of a data directory for one piece of work. */
export function withDatabase<T>(dataDir: string, work: (database: DatabaseSyncInstance) => T): T {
  const database = openDatabase(dataDir)
  try {
    return work(database)
  } finally {
    database.close()
  }
}

/** Creates a folder and its parents. `mkdir -p` of Node never returns if a parent such as /proc refuses the folder. */
export function makeDirectory(path: string): void {
  if (existsSync(path)) return
  makeDirectory(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process may have created it in the meantime.
    if (!existsSync(path)) throw error
  }
}

/**
 * Creates a file that only its owner can read. SQLite gives its side files the same mode. An existing file is not
 * opened: closing it would release the locks of other connections of this process.
 */
export function makeFile(file: string): void {
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600))
}

/** The size of the header of a SQLite file. */
const smallestBytes = 100

function refuseLost(dataDir: string, isEmpty: () => boolean): void {
  // Checked in this order, since another process may be creating the database, and creates the folder last.
  if (!existsSync(ownersFolder(dataDir)) || !isEmpty()) return
  const problem = `it is empty or missing, and ${ownersFolder(dataDir)} shows that runs were recorded in it`
  throw damagedDatabase(databaseFile(dataDir), problem, { isLost: true })
}

function makeTables(database: DatabaseSyncInstance, dataDir: string): void {
  if (readVersion(database) === schemaVersion) return
  // Read again under the lock, since another process may have created the tables.
  database.exec('BEGIN IMMEDIATE')
  try {
    const from = readVersion(database)
    refuseLost(dataDir, () => from === 0)
    if (from !== 0 && from !== schemaVersion) {
      const message = `cannot use ${databaseFile(dataDir)}: ${otherSchema} (schema ${from}, this one knows ${schemaVersion})`
      throw new RunbookError('DataDirUnusable', message, { notSent: true, next: useThatVersion })
    }
    if (from === 0) database.exec(`${databaseSchema}; PRAGMA user_version = ${schemaVersion}`)
    database.exec('COMMIT')
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}

export function readVersion(database: DatabaseSyncInstance): number {
  return Number(database.prepare('PRAGMA user_version').get()?.['user_version'])
}

/** The inode of the database file. It stays when the file is moved, and a copy has another one. */
export function readDatabaseIdentity(dataDir: string): string {
  return String(statSync(databaseFile(dataDir), { bigint: true }).ino)
}

/** Does all of the work in one transaction, or nothing. Throws `DataDirUnusable` if it cannot be written. */
export function inTransaction<T>(database: DatabaseSyncInstance, work: () => T): T {
  try {
    database.exec('BEGIN IMMEDIATE')
    const done = work()
    database.exec('COMMIT')
    return done
  } catch (cause) {
    if (database.isTransaction) database.exec('ROLLBACK')
    if (RunbookError.is(cause)) throw cause
    if (isDamage(cause)) throw damagedDatabase('opsbook.db', cause.message, { cause })
    const message = `cannot write the journal: ${(cause as Error).message}`
    throw new RunbookError('DataDirUnusable', message, { cause })
  }
}

/** Throws `DataDirUnusable` for a damaged database. A journal without one of its entries would repeat that call. */
export function requireSound(database: DatabaseSyncInstance, dataDir: string): void {
  const problem = findDamage(database)
  if (problem === undefined) return
  throw damagedDatabase(databaseFile(dataDir), `${problem}; no run in it can be resumed`)
}

function findDamage(database: DatabaseSyncInstance): string | undefined {
  try {
    const [said] = Object.values(database.prepare('PRAGMA quick_check(1)').get() ?? {})
    return said === 'ok' ? undefined : String(said).replace(/\s+/g, ' ')
  } catch (error) {
    return (error as Error).message
  }
}
