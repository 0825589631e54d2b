/** What consoles keep on disk: the audit. One database in the data directory of the process, whatever the engine. */
import { type AuditLog, createAuditLog } from './audit-log.ts'
import { openConsoleDatabase } from './database.ts'

export type { ActOutcome, AuditLog, AuditRow, BegunAct } from './audit-log.ts'
export { hasConsoleStore } from './database.ts'

/** What a console keeps on disk. */
export interface ConsoleStore {
  readonly audit: AuditLog
  close(): void
}

/** Opens what consoles keep in a data directory, and creates it where it is missing. Throws `DataDirUnusable`. */
export function openConsoleStore(dataDir: string): ConsoleStore {
  const database = openConsoleDatabase(dataDir)
  return { audit: createAuditLog(database), close: () => database.close() }
}
