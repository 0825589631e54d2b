import { accessSync, constants, existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite'
import { RunbookError } from '../../../core/run-error.ts'
import { checkPages } from './open-limits.ts'
import { limitsVersion } from './schema.ts'
import { limitsUnusable } from './unusable.ts'

/**
 * Looks whether the limits of a data directory can be used, and changes nothing: answers with the file, or undefined
 * where there is none yet. Throws `DataDirUnusable` with what is wrong.
 */
export function inspectLimits(dataDir: string): string | undefined {
  const file = resolve(dataDir, 'limits.db')
  if (!existsSync(file)) return undefined
  try {
    const folder = resolve(dataDir, 'limits')
    if (existsSync(folder)) accessSync(folder, constants.W_OK | constants.X_OK)
    const database = new DatabaseSync(file)
    try {
      inspect(database)
      return file
    } finally {
      database.close()
    }
  } catch (error) {
    throw RunbookError.is(error) ? error : limitsUnusable(file, error)
  }
}

/** Without a statement that would outlive the connection: the file may be made anew right after. */
function inspect(database: DatabaseSyncInstance): void {
  database.exec('PRAGMA busy_timeout = 1000')
  checkPages(database)
  try {
    database.exec(
      `SELECT iif(user_version <= ${limitsVersion}, 1, json('it is newer')) FROM pragma_user_version`,
    )
  } catch (cause) {
    throw new Error('it was written by a newer Opsbook: update Opsbook', { cause })
  }
  // To begin is not enough: of a file that cannot be written SQLite makes that a reading.
  database.exec('BEGIN IMMEDIATE; CREATE TABLE probe (x); ROLLBACK')
}
