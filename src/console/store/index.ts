/** What consoles keep on disk: the audit, and tokens. One database in the data directory of the process, whatever the engine. */
import { type AuditLog, createAuditLog } from './audit-log.ts'
import { openConsoleDatabase } from './database.ts'
import { createTokenStore, type TokenStore } from './token-store.ts'

export type { ActOutcome, AuditLog, AuditRow, BegunAct } from './audit-log.ts'
export { hasConsoleStore } from './database.ts'
export { type Role, roles } from './role.ts'
export { type TokenRecord, type TokenStore, tokenBegin } from './token-store.ts'

/** What a console keeps on disk. */
export interface ConsoleStore {
  readonly audit: AuditLog
  readonly tokens: TokenStore
  close(): void
}

/** Opens what consoles keep in a data directory, and creates it where it is missing. Throws `DataDirUnusable`. */
export function openConsoleStore(dataDir: string): ConsoleStore {
  const database = openConsoleDatabase(dataDir)
  return {
    audit: createAuditLog(database),
    tokens: createTokenStore(database),
    close: () => database.close(),
  }
}
