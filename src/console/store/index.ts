/** What consoles keep on disk: the audit, tokens and sessions. One database in the data directory of the process, whatever the engine. */
import { type AuditLog, createAuditLog } from './audit-log.ts'
import { openConsoleDatabase, openMemoryDatabase, withReasons } from './database.ts'
import { createSessionStore, type SessionStore } from './session-store.ts'
import { createTokenStore, type TokenStore } from './token-store.ts'

export type { ActOutcome, AuditLog, BegunAct } from './audit-log.ts'
export { hasConsoleStore } from './database.ts'
export { hashOfSecret } from './hash-of-secret.ts'
export { type AuditQuery, readAuditPage } from './read-audit-page.ts'
export { type Role, roles } from './role.ts'
export type { SessionRecord, SessionStore } from './session-store.ts'
export { type TokenRecord, type TokenStore, tokenBegin } from './token-store.ts'

/** What a console keeps on disk. */
export interface ConsoleStore {
  readonly audit: AuditLog
  readonly tokens: TokenStore
  readonly sessions: SessionStore
  /** Makes the hidden fields of forms. Alone it lets nobody in: forms of other origins are refused before. */
  readonly formKey: Uint8Array
  close(): void
}

/** Opens what consoles keep in a data directory, and creates it where it is missing. Throws `DataDirUnusable`. */
export function openConsoleStore(dataDir: string): ConsoleStore {
  const database = openConsoleDatabase(dataDir)
  return {
    audit: withReasons(createAuditLog(database), dataDir),
    tokens: withReasons(createTokenStore(database), dataDir),
    sessions: withReasons(createSessionStore(database), dataDir),
    formKey: database.prepare('SELECT key FROM form_key').get()?.['key'] as Uint8Array,
    close: () => database.close(),
  }
}

/** Sessions that end with the process. */
export function createMemorySessions(): SessionStore {
  return createSessionStore(openMemoryDatabase())
}
