import { randomBytes } from 'node:crypto'
import { readdirSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite'
import { RunbookError } from '../../../core/run-error.ts'
import { type FileLock, isLocked, lockFile } from '../../file-lock/index.ts'
import { fileProblem, isDamage } from '../../index.ts'
import { makeDirectory, makeFile } from '../database/database.ts'
import { otherSchema } from '../database/schema-number.ts'
import { bootNow, readBoot } from './boot-clock.ts'
import { type LimitRows, openLimitRows } from './limit-rows.ts'
import { lockFileOf } from './process-rows.ts'
import { limitsSchema, limitsVersion } from './schema.ts'

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
  readonly rows: LimitRows
  /** The number of this process. */
  readonly process: number
  readonly name: string
  readonly lifeLock: FileLock
}

/**
 * Opens the limits of a data directory, and creates them if they are missing. A damaged file is replaced if no process
 * uses it, and refused otherwise: two files would be two budgets.
 */
export function openLimits(dataDir: string, options: OpenOptions): OpenLimits {
  const file = resolve(dataDir, 'limits.db')
  const folder = resolve(dataDir, 'limits')
  let openingLock: FileLock | undefined
  try {
    makeDirectory(folder)
    // One process at a time, so that none replaces the file while another one opens it.
    openingLock = lockFile(lockFileOf(folder, openingLockName), options.maxWaitMs)
    const others = sweep(folder)
    const isUsed = others > 0 || openedHere.has(file)
    const database = openFile(file, isUsed, options.onWarning)
    try {
      return { file, database, ...enlist(database, file, folder, others > 0, options) }
    } catch (error) {
      database.close()
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
function sweep(folder: string): number {
  const files = readdirSync(folder).filter(
    (name) => name.endsWith('.lock') && name !== `${openingLockName}.lock`,
  )
  const dead = files.filter((name) => !isLocked(join(folder, name)))
  for (const name of dead) rmSync(join(folder, name), { force: true })
  return files.length - dead.length
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
    // The ledger retries a busy database, so that this process can do other work meanwhile.
    database.exec('PRAGMA busy_timeout = 0')
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

/** Registers this process, and releases what dead processes held. */
function enlist(
  database: DatabaseSyncInstance,
  file: string,
  folder: string,
  isUsed: boolean,
  { marginMs }: OpenOptions,
): Pick<OpenLimits, 'rows' | 'process' | 'name' | 'lifeLock'> {
  const rows = openLimitRows(database, folder, marginMs)
  const name = randomBytes(8).toString('hex')
  const lifeLock = lockFile(lockFileOf(folder, name), 0)
  const now = Math.ceil(bootNow())
  try {
    database.exec('PRAGMA busy_timeout = 1000; BEGIN IMMEDIATE; PRAGMA busy_timeout = 0')
    rows.rates.begin()
    enterBoot(database, rows, file, isUsed, now)
    for (const dead of rows.processes.listDead(0)) rows.endProcess(dead, now)
    rows.rates.write()
    rows.rates.prune(now)
    const process = rows.processes.add(name, now)
    database.exec('COMMIT')
    return { rows, process, name, lifeLock }
  } catch (error) {
    lifeLock.release()
    rmSync(lockFileOf(folder, name), { force: true })
    throw error
  }
}

/**
 * Counts the calls of another boot as of now, since its times mean nothing here. The wait is never too short, and at
 * most one window too long. A living process proves that the boot is this one.
 */
function enterBoot(
  database: DatabaseSyncInstance,
  { rates }: LimitRows,
  file: string,
  isUsed: boolean,
  now: number,
): void {
  const boot = readBoot()
  const left = database.prepare('SELECT name FROM boot').get()?.['name']
  if (left !== undefined && boot.isNamed(String(left))) return
  if (isUsed && boot.isCertain && left !== undefined) {
    throw limitsUnusable(file, new Error('another machine, or a container with a clock of its own, uses it'))
  }
  if (!isUsed && left !== undefined) rates.countAllNow(now)
  database.exec('DELETE FROM boot')
  database.prepare('INSERT INTO boot VALUES (?)').run(boot.name)
}

/** The error for limits that cannot be shared. Nothing was sent, since no call may be made without limits. */
export function limitsUnusable(file: string, cause: unknown): RunbookError {
  return new RunbookError('DataDirUnusable', `cannot use ${file}: ${reasonOf(cause)}`, {
    notSent: true,
    cause,
  })
}

function reasonOf(error: unknown): string {
  if (!isDamage(error)) return fileProblem(error)
  return `it is damaged (${error.message}); once no process uses this data directory, the next one replaces it`
}
