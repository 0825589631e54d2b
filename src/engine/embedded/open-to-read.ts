import { existsSync, statSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite'
import { RunbookError } from '../../core/run-error.ts'
import { databaseFile, openDatabase, readVersion, schemaVersion } from './database.ts'

/**
 * Opens the database of a data directory to look at what is in it. Where nothing can be written there it is read as it
 * stands. Throws `DataDirUnusable`, with what is missing, where that would not be all.
 */
export function openToRead(dataDir: string): DatabaseSyncInstance {
  try {
    return openDatabase(dataDir)
  } catch (error) {
    if (!isUnwritable((error as Error).cause)) throw error
    return openUnwritable(databaseFile(dataDir))
  }
}

/** The folder, or a file in it, is not ours to write: in the words of SQLite (READONLY, CANTOPEN, PERM) or of the system. */
function isUnwritable(cause: unknown): boolean {
  const { errcode, code } = (cause ?? {}) as { readonly errcode?: number; readonly code?: string }
  if (errcode !== undefined) return [3, 8, 14].includes(errcode & 0xff)
  return code === 'EACCES' || code === 'EPERM' || code === 'EROFS'
}

function openUnwritable(file: string): DatabaseSyncInstance {
  try {
    const database = new DatabaseSync(placeOf(file), { readOnly: true })
    try {
      requireVersion(database, file)
      return database
    } catch (error) {
      database.close()
      throw error
    }
  } catch (cause) {
    if (RunbookError.is(cause)) throw cause
    throw unreadable(file, (cause as Error).message, cause)
  }
}

/** What is not in the file itself yet stands beside it; SQLite then needs both files there. */
function placeOf(file: string): string | URL {
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false })
  if (log === undefined || log.size === 0) {
    // Nobody can be at work on it unnoticed: they would have made these files.
    const place = pathToFileURL(file)
    place.searchParams.set('immutable', '1')
    return place
  }
  if (existsSync(`${file}-shm`)) return file
  throw unreadable(file, `what was written last is in ${file}-wal, and is read only where files can be made`)
}

function requireVersion(database: DatabaseSyncInstance, file: string): void {
  const version = readVersion(database)
  if (version > schemaVersion) throw unreadable(file, 'it was written by a newer Opsbook: update Opsbook')
  if (version < schemaVersion)
    throw unreadable(file, 'it was written by an older Opsbook, and has to be brought up to date first')
}

function unreadable(file: string, why: string, cause?: unknown): RunbookError {
  const message = `cannot read ${file} where nothing can be written: ${why}; copy the whole folder to where it can, and look there`
  return new RunbookError('DataDirUnusable', message, { notSent: true, cause })
}
