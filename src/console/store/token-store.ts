import { randomBytes } from 'node:crypto'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { Identity } from '../../core/events.ts'
import { readRecords } from './database.ts'
import { hashOfSecret } from './hash-of-secret.ts'
import type { Role } from './role.ts'

/** A token as lists show it. It does not hold the secret, which cannot be derived from it. */
export interface TokenRecord {
  readonly id: string
  /** Who acts with it. */
  readonly by: Identity
  readonly roles: readonly Role[]
  /** RFC 3339. */
  readonly created_at: string
  readonly created_by: Identity
  /** RFC 3339: it is refused from then on. */
  readonly expires_at: string
  /** RFC 3339. */
  readonly revoked_at?: string
}

/** The tokens of programs and people that use the API. Every method throws where the disk fails. */
export interface TokenStore {
  /** Makes a token. Its text is returned once, and is stored as SHA-256. `expiresMs`: Unix time in milliseconds. */
  create(token: Pick<TokenRecord, 'by' | 'roles' | 'created_by'> & { readonly expiresMs: number }): {
    readonly record: TokenRecord
    readonly token: string
  }
  /** The token of this text, if it is neither revoked nor expired. */
  find(token: string): TokenRecord | undefined
  /** All tokens, the newest first. */
  list(): readonly TokenRecord[]
  /** Refuses the token from now on. Returns it; undefined if there is none with this id. */
  revoke(id: string): TokenRecord | undefined
}

/** How tokens begin, so that people and scanners recognise one that leaked. */
export const tokenBegin = 'opsbook_'

/** The tokens of a database. `now`: Unix time in milliseconds. */
export function createTokenStore(database: DatabaseSyncInstance, now: () => number = Date.now): TokenStore {
  const byHash = database.prepare(
    'SELECT record FROM tokens WHERE hash = ? AND is_revoked = 0 AND expires_ms > ?',
  )
  return {
    create({ by, roles, created_by, expiresMs }) {
      const token = tokenBegin + randomBytes(32).toString('base64url')
      const record: TokenRecord = {
        id: randomBytes(6).toString('hex'),
        by,
        roles,
        created_at: new Date(now()).toISOString(),
        created_by,
        expires_at: new Date(expiresMs).toISOString(),
      }
      database
        .prepare('INSERT INTO tokens (id, hash, expires_ms, record) VALUES (?, ?, ?, ?)')
        .run(record.id, hashOfSecret(token), expiresMs, JSON.stringify(record))
      return { record, token }
    },
    // The look-up by hash takes no time that depends on the secret.
    find: (token) =>
      token.startsWith(tokenBegin)
        ? readRecords<TokenRecord>(byHash.all(hashOfSecret(token), now()))[0]
        : undefined,
    list: () => readRecords(database.prepare('SELECT record FROM tokens ORDER BY rowid DESC').all()),
    revoke(id) {
      database
        .prepare(
          "UPDATE tokens SET is_revoked = 1, record = json_set(record, '$.revoked_at', ?) WHERE id = ? AND is_revoked = 0",
        )
        .run(new Date(now()).toISOString(), id)
      return readRecords<TokenRecord>(database.prepare('SELECT record FROM tokens WHERE id = ?').all(id))[0]
    },
  }
}
