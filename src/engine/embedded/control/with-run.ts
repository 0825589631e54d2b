import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { hasDatabase, withDatabase } from '../database/database.ts'
import { takeOwnership } from '../run/ownership.ts'
import { noSuchRun, readRunStatus, readStoredRun, type StoredRun } from '../tables/run-rows.ts'

/** A run, and the data directory that holds it. */
type RunLocation = Parameters<typeof noSuchRun>[0]

/** Works in the database of a run. Throws `InvalidInput` if there is none. */
export function inDatabaseOf<T>(location: RunLocation, work: (database: DatabaseSyncInstance) => T): T {
  if (!hasDatabase(location.dataDir)) throw noSuchRun(location)
  return withDatabase(location.dataDir, work)
}

/**
 * Works with a run that no process executes in the meantime. Throws `InvalidInput` if there is no such run, and `RunInUse`
 * while a process executes it.
 */
export function withOwnedRun<T>(
  location: RunLocation,
  work: (database: DatabaseSyncInstance, run: StoredRun) => T,
): T {
  const { dataDir, runId } = location
  return inDatabaseOf(location, (database) => {
    if (!readRunStatus(database, runId)) throw noSuchRun(location)
    const ownership = takeOwnership(dataDir, runId)
    try {
      const run = readStoredRun(database, runId)
      if (!run) throw noSuchRun(location)
      return work(database, run)
    } finally {
      const status = readRunStatus(database, runId)
      ownership.release(status === 'succeeded' || status === 'cancelled')
    }
  })
}
