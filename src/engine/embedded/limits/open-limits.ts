import { randomBytes } from 'node:crypto'
import { readdirSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite'
import { RunbookError } from '../../../core/run-error.ts'
import { type FileLock, isLocked, lockFile } from '../../file-lock/index.ts'
import { fileProblem, isDamage } from '../../index.ts'
import { makeDirectory, makeFile } from '../database/database.ts'
import { otherSchema } from '../database/schema-number.ts'
import { openPermitRows, type PermitRows } from './permit-rows.ts'
import { limitsSchema, limitsVersion, machineNow } from './schema.ts'

/** How limits are opened. */
export interface OpenOptions {
  readonly marginMs: number
  /** How long another process may keep the file locked. */
  readonly maxWaitMs: number
  /** Receives a message about discarded counts. */
  readonly onWarning: (message: string) => void
}

/** The open limits of a data directory. */
export interface OpenLimits {
  readonly file: string
  readonly database: DatabaseSyncInstance
  readonly rows: PermitRows
  /** The folder of the locks on targets. */
  readonly targetsFolder: string
  /** Whether another process that has permits lives. */
  isAlive(holder: string): boolean
  close(): void
}

/**
 * Opens the limits of a data directory, and creates them if they are missing. A damaged file is replaced if no process
 * uses it, and refused otherwise: two files would be two budgets.
 */
export function openLimits(dataDir: string, options: OpenOptions): OpenLimits {
  const file = resolve(dataDir, 'limits.db')
  const folder = resolve(dataDir, 'limits')
  const targetsFolder = join(folder, 'targets')
  const lockOf = (name: string): string => join(folder, `${name}.lock`)
  const isAlive = (holder: string): boolean => isLocked(lockOf(holder))
  let openingLock: FileLock | undefined
  try {
    makeDirectory(folder)
    // One process at a time, so that none replaces the file while another one opens it.
    openingLock = lockFile(lockOf(openingLockName), options.maxWaitMs)
    const isUsed = sweep(folder, isAlive) > 0
    if (!isUsed) rmSync(targetsFolder, { recursive: true, force: true })
    makeDirectory(targetsFolder)
    const database = openFile(file, isUsed || openedHere.has(file), options.onWarning)
    const name = randomBytes(8).toString('hex')
    const lifeLock = lockFile(lockOf(name), 0)
    const close = (): void => {
      database.close()
      lifeLock.release()
      rmSync(lockOf(name), { force: true })
    }
    try {
      const rows = openPermitRows(database, name, options.marginMs)
      database.exec('PRAGMA busy_timeout = 1000; BEGIN IMMEDIATE')
      const now = Math.ceil(machineNow())
      rows.tidy(now)
      for (const holder of rows.listHolders()) if (!isAlive(holder)) rows.endHolder(holder, now)
      // A file that is busy for longer is tried again later, so that this process can do other work meanwhile.
      database.exec('COMMIT; PRAGMA busy_timeout = 10')
      return { file, database, rows, targetsFolder, isAlive, close }
    } catch (error) {
      close()
      throw error
    }
  } catch (error) {
    throw RunbookError.is(error) ? error : limitsUnusable(file, error)
  } finally {
    openingLock?.release()
  }
}

const openingLockName = 'opening'

/** The number of processes that use the limits. Removes the files of dead ones. */
function sweep(folder: string, isAlive: (name: string) => boolean): number {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.lock'))
    .map((name) => name.slice(0, -'.lock'.length))
    .filter((name) => name !== openingLockName)
  const dead = names.filter((name) => !isAlive(name))
  for (const name of dead) rmSync(join(folder, `${name}.lock`), { force: true })
  return names.length - dead.length
}

function openFile(file: string, isUsed: boolean, onWarning: OpenOptions['onWarning']): DatabaseSyncInstance {
  try {
    return openChecked(file)
  } catch (error) {
    if (isUsed || !isDamage(error)) throw error
    const aside = `${file}.damaged`
    renameSync(file, aside)
    for (const side of ['-wal', '-shm']) rmSync(file + side, { force: true })
    onWarning(
      `${file} was damaged and was replaced (the old one: ${aside}); calls of the past day are no longer counted against the rate limits`,
    )
    return openChecked(file)
  }
}

function openChecked(file: string): DatabaseSyncInstance {
  makeFile(file)
  const database = new DatabaseSync(file)
  try {
    // Not FULL: the counts must outlive processes, and a power cut may take the last seconds.
    database.exec('PRAGMA busy_timeout = 1000; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
    checkPages(database)
    openedHere.add(file)
    const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version'])
    if (version === 0) database.exec(`BEGIN IMMEDIATE; ${limitsSchema}; COMMIT`)
    else if (version !== limitsVersion) throw new Error(otherSchema)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/**
 * The files that this process has opened. A connection lives until its last statement is collected, and removes the
 * side files then: a new file in their place would lose its own.
 */
const openedHere = new Set<string>()

/** Checks the whole file, without a statement that would outlive the connection. */
function checkPages(database: DatabaseSyncInstance): void {
  try {
    database.exec("SELECT iif(quick_check = 'ok', 1, json('it is not')) FROM pragma_quick_check")
  } catch (cause) {
    if (!(cause as Error).message.includes('JSON')) throw cause
    throw Object.assign(new Error('its pages contradict each other', { cause }), { errcode: 11 })
  }
}

/** The error for limits that cannot be shared. Nothing was sent, since no call may be made without limits. */
export function limitsUnusable(file: string, cause: unknown): RunbookError {
  const reason = isDamage(cause)
    ? `it is damaged (${cause.message}); once no process uses this data directory, the next one replaces it`
    : fileProblem(cause)
  return new RunbookError('DataDirUnusable', `cannot use ${file}: ${reason}`, { notSent: true, cause })
}
