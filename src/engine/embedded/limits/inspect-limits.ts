import { accessSync, constants, existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite'
import { RunbookError } from '../../../core/run-error.ts'
import { otherSchema } from '../database/schema-number.ts'
import { checkPages, limitsUnusable } from './open-limits.ts'
import { limitsVersion } from './schema.ts'

/**
 * Checks whether the limits of a data directory can be used, and changes nothing. Returns the path of the file.
 * Undefined: there is none yet. Throws `DataDirUnusable` with the problem.
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

/** Uses no prepared statement, which would outlive the connection: the file may be replaced directly afterwards. */
function inspect(database: DatabaseSyncInstance): void {
  database.exec('PRAGMA busy_timeout = 1000')
  checkPages(database)
  try {
    database.exec(
      `SELECT iif(user_version IN (0, ${limitsVersion}), 1, json('it is another')) FROM pragma_user_version`,
    )
  } catch (cause) {
    throw new Error(otherSchema, { cause })
  }
  // `BEGIN IMMEDIATE` alone is not enough: SQLite allows it for a file that cannot be written.
  database.exec('BEGIN IMMEDIATE; CREATE TABLE probe (x); ROLLBACK')
}
