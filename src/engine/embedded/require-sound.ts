import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { RunbookError } from '../../core/run-error.ts'
import { databaseFile } from './database.ts'

/** Refuses a database of which a part is damaged: a journal that has lost an entry would have it done a second time. */
export function requireSound(database: DatabaseSyncInstance, dataDir: string): void {
  const problem = findDamage(database)
  if (problem === undefined) return
  const message = `${databaseFile(dataDir)} is damaged (${problem}): nothing in it can be carried on; restore it from a backup`
  throw new RunbookError('DataDirUnusable', message, { notSent: true })
}

function findDamage(database: DatabaseSyncInstance): string | undefined {
  try {
    const [said] = Object.values(database.prepare('PRAGMA quick_check(1)').get() ?? {})
    return said === 'ok' ? undefined : String(said).replace(/\s+/g, ' ')
  } catch (error) {
    return (error as Error).message
  }
}
