import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { RunbookError } from '../../core/run-error.ts'

/** Does all of the work or nothing of it. What cannot be written is a `DataDirUnusable`. */
export function inTransaction<T>(database: DatabaseSyncInstance, work: () => T): T {
  try {
    database.exec('BEGIN IMMEDIATE')
    const done = work()
    database.exec('COMMIT')
    return done
  } catch (cause) {
    if (database.isTransaction) database.exec('ROLLBACK')
    if (RunbookError.is(cause)) throw cause
    const message = `cannot write the journal: ${(cause as Error).message}`
    throw new RunbookError('DataDirUnusable', message, { cause })
  }
}
