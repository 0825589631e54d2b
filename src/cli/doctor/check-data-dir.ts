import { statfs } from 'node:fs/promises'
import { basename } from 'node:path'
import { openDatabase } from '../../engine/embedded/database.ts'
import { inspectLimits } from '../../engine/embedded/shared-limits/inspect-limits.ts'
import { type Configuration, chooseDataDir, prepareDataDir } from '../configuration/index.ts'
import type { Io } from '../io.ts'
import { countText } from '../terminal/count-text.ts'
import { sizeText } from '../terminal/size-text.ts'
import { type Check, failedCheck } from './check.ts'

const fewBytes = 1024 ** 3
const tooFewBytes = 50 * 1024 ** 2

/** The data directory: can it be written to, is there space, do the database and the shared limits open. */
export async function checkDataDir(
  flag: string | undefined,
  configuration: Configuration,
  io: Io,
): Promise<readonly Check[]> {
  const folder = chooseDataDir(flag, configuration, io)
  try {
    await prepareDataDir(folder)
  } catch (error) {
    return [failedCheck('data directory', error)]
  }
  return [await checkSpace(folder), checkDatabase(folder), ...checkLimits(folder)]
}

async function checkSpace(folder: string): Promise<Check> {
  const name = 'data directory'
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  const message = `${folder}, ${sizeText(free)} free`
  if (free >= fewBytes) return { name, status: 'ok', message }
  const status = free < tooFewBytes ? 'fail' : 'warn'
  return { name, status, message, hints: ['make space, or name another folder with --data-dir'] }
}

function checkDatabase(folder: string): Check {
  const name = 'database'
  try {
    const database = openDatabase(folder)
    try {
      // To begin is not enough: of a file that cannot be written SQLite makes that a reading.
      database.exec('BEGIN IMMEDIATE; CREATE TABLE probe (x)')
      const row = database.prepare('SELECT count(*) AS runs, sqlite_version() AS version FROM runs').get()
      database.exec('ROLLBACK')
      const runs = countText(Number(row?.['runs']), 'run')
      return { name, status: 'ok', message: `SQLite ${row?.['version']}, ${runs} recorded` }
    } finally {
      database.close()
    }
  } catch (error) {
    return failedCheck(name, error)
  }
}

/** Without them nothing is sent: a run ends before its first call. */
function checkLimits(folder: string): readonly Check[] {
  const name = 'rate limits'
  try {
    const file = inspectLimits(folder)
    return file === undefined ? [] : [{ name, status: 'ok', message: `counted in ${basename(file)}` }]
  } catch (error) {
    return [failedCheck(name, error)]
  }
}
