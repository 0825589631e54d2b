import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite'
import { RunbookError } from '../../../core/run-error.ts'
import { systemUser } from '../../record/index.ts'
import { databaseFile, openDatabase, readVersion, schemaVersion } from './database.ts'
import { otherSchema, useThatVersion } from './schema-number.ts'

/**
 * Opens the database of a data directory for reading, even if the folder is read-only or the disk is full. Throws `DataDirUnusable` if a
 * part of the record could not be read.
 */
export function openToRead(dataDir: string): DatabaseSyncInstance {
  try {
    return openDatabase(dataDir)
  } catch (error) {
    if (!isUnwritable((error as Error).cause)) throw error
    refuseForeign(databaseFile(dataDir))
    return openUnwritable(databaseFile(dataDir))
  }
}

/** What SQLite says of a disk that is full: of a write (FULL, IOERR_WRITE), and of the index of the log (IOERR_SHM…). */
const ofFullDisk: ReadonlySet<number> = new Set([13, 778, 4618, 4874, 5386])

/**
 * The folder or a file in it cannot be written: by a code of SQLite (READONLY, CANTOPEN, PERM, a full disk) or of the
 * system.
 */
function isUnwritable(cause: unknown): boolean {
  const { errcode, code } = (cause ?? {}) as { readonly errcode?: number; readonly code?: string }
  if (errcode !== undefined) return ofFullDisk.has(errcode) || [3, 8, 14].includes(errcode & 0xff)
  return ['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT'].includes(code ?? '')
}

/** Says what to do where the file belongs to another system user, and is for that user only. */
function refuseForeign(file: string): void {
  try {
    accessSync(file, constants.R_OK)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EACCES') return
    throw new RunbookError('DataDirUnusable', `the system user ${systemUser()} may not read ${file}`, {
      notSent: true,
      next: 'Run the command as its owner, or let the owner share the data directory: "Several system users" in docs/people.md.',
      cause,
    })
  }
}

function openUnwritable(file: string): DatabaseSyncInstance {
  try {
    const database = new DatabaseSync(addressOf(file), { readOnly: true })
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

/**
 * The address under which a read-only file can be opened. Recent writes are in a log next to it, which SQLite reads
 * only with its index.
 */
function addressOf(file: string): string | URL {
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false })
  if (log === undefined || log.size === 0) {
    // No process has the file open: it would have created the log.
    const address = pathToFileURL(file)
    address.searchParams.set('immutable', '1')
    return address
  }
  if (existsSync(`${file}-shm`)) return file
  throw unreadable(
    file,
    `the last writes are in ${file}-wal, which can be read only if files can be created next to it`,
  )
}

function requireVersion(database: DatabaseSyncInstance, file: string): void {
  if (readVersion(database) === schemaVersion) return
  throw new RunbookError('DataDirUnusable', `cannot read ${file}: ${otherSchema}`, {
    notSent: true,
    next: useThatVersion,
  })
}

function unreadable(file: string, why: string, cause?: unknown): RunbookError {
  const message = `cannot read ${file} in a folder that is read-only or full: ${why}; copy the whole folder to a writable place and read it there`
  return new RunbookError('DataDirUnusable', message, { notSent: true, cause })
}
