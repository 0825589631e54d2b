import { randomBytes } from 'node:crypto'
import { readdirSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite'
import { RunbookError } from '../../../core/run-error.ts'
import { type FileLock, isLocked, lockFile } from '../../file-lock.ts'
import { makeDirectory, makeFile } from '../database.ts'
import { bootNow, readBoot } from './boot-clock.ts'
import { type LimitRows, openLimitRows } from './limit-rows.ts'
import { lockFileOf } from './process-rows.ts'
import { limitsSchema, limitsVersion } from './schema.ts'
import { isDamaged, limitsUnusable } from './unusable.ts'

/** How limits are opened. */
export interface OpenOptions {
  readonly marginMs: number
  /** How long somebody else may keep everybody from opening. */
  readonly patienceMs: number
  /** Told what had to be thrown away. */
  readonly onWarning: (message: string) => void
}

/** The limits of a data directory, open in this process. */
export interface OpenLimits {
  readonly file: string
  readonly database: DatabaseSyncInstance
  readonly rows: LimitRows
  /** This process, by its row. */
  readonly process: number
  readonly name: string
  readonly life: FileLock
}

/**
 * Opens the limits of a data directory, and makes them where they are missing. A damaged file is made anew where
 * nobody uses it, and refused where somebody does: two files would be two budgets.
 */
export function openLimits(dataDir: string, options: OpenOptions): OpenLimits {
  const file = resolve(dataDir, 'limits.db')
  const folder = resolve(dataDir, 'limits')
  let door: FileLock | undefined
  try {
    makeDirectory(folder)
    // One at a time: nobody makes the file anew while somebody else begins to use it.
    door = lockFile(lockFileOf(folder, doorName), options.patienceMs)
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
    door?.release()
  }
}

const doorName = 'door'

/** How many use the limits. The files of those that died go. */
function sweep(folder: string): number {
  const files = readdirSync(folder).filter((name) => name.endsWith('.lock') && name !== `${doorName}.lock`)
  const dead = files.filter((name) => !isLocked(join(folder, name)))
  for (const name of dead) rmSync(join(folder, name), { force: true })
  return files.length - dead.length
}

function openFile(file: string, isUsed: boolean, onWarning: OpenOptions['onWarning']): DatabaseSyncInstance {
  try {
    return openChecked(file)
  } catch (error) {
    if (isUsed || !isDamaged(error)) throw error
    const aside = `${file}.damaged`
    renameSync(file, aside)
    for (const side of ['-wal', '-shm']) rmSync(file + side, { force: true })
    onWarning(
      `${file} was damaged and is made anew (the old one: ${aside}); calls of the past day are no longer counted against the rate limits`,
    )
    return openChecked(file)
  }
}

function openChecked(file: string): DatabaseSyncInstance {
  makeFile(file)
  const database = new DatabaseSync(file)
  try {
    // Not FULL: what is here must outlive processes. After a power cut the last seconds may be missing, no more.
    database.exec('PRAGMA busy_timeout = 1000; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
    checkPages(database)
    openedHere.add(file)
    const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version'])
    if (version > limitsVersion) throw new Error('it was written by a newer Opsbook: update Opsbook')
    if (version === 0) database.exec(`BEGIN IMMEDIATE; ${limitsSchema}; COMMIT`)
    // Whoever meets somebody at work asks again by itself, and leaves this process to its other business.
    database.exec('PRAGMA busy_timeout = 0')
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/**
 * Files that this process has opened. Their connections live on until the last of their statements is collected, and
 * then take the side files along: a new file in their place would lose its own.
 */
const openedHere = new Set<string>()

/** Looks through the whole file, without a statement that would outlive the connection. */
export function checkPages(database: DatabaseSyncInstance): void {
  try {
    database.exec("SELECT iif(quick_check = 'ok', 1, json('it is not')) FROM pragma_quick_check")
  } catch (cause) {
    if (isDamaged(cause) || !(cause as Error).message.includes('JSON')) throw cause
    throw Object.assign(new Error('its pages contradict each other', { cause }), { errcode: 11 })
  }
}

/** Makes this process known, and takes back what the dead had. */
function enlist(
  database: DatabaseSyncInstance,
  file: string,
  folder: string,
  isUsed: boolean,
  { marginMs }: OpenOptions,
): Pick<OpenLimits, 'rows' | 'process' | 'name' | 'life'> {
  const rows = openLimitRows(database, folder, marginMs)
  const name = randomBytes(8).toString('hex')
  const life = lockFile(lockFileOf(folder, name), 0)
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
    return { rows, process, name, life }
  } catch (error) {
    life.release()
    rmSync(lockFileOf(folder, name), { force: true })
    throw error
  }
}

/**
 * The times in the file mean nothing to another boot. What was counted then counts as of now: never too short a time,
 * and at most one window too long. A process that lives proves that its boot is this one.
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
