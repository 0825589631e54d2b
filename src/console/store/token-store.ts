import { randomBytes } from 'node:crypto'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { Identity } from '../../core/events.ts'
import { fromJson, sql } from '../../engine/embedded/index.ts'
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
  const { run, get, all } = sql(database)
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
      run`INSERT INTO tokens (id, hash, expires_ms, record)
        VALUES (${record.id}, ${hashOfSecret(token)}, ${expiresMs}, ${JSON.stringify(record)})`
      return { record, token }
    },
    // The look-up by hash takes no time that depends on the secret.
    find(token) {
      if (!token.startsWith(tokenBegin)) return undefined
      const hash = hashOfSecret(token)
      const found = get`SELECT record FROM tokens WHERE hash = ${hash} AND is_revoked = 0 AND expires_ms > ${now()}`
      return fromJson(found?.['record'])
    },
    list: () =>
      all`SELECT record FROM tokens ORDER BY rowid DESC`.map(({ record }) => JSON.parse(String(record))),
    revoke(id) {
      run`UPDATE tokens SET is_revoked = 1, record = json_set(record, '$.revoked_at', ${new Date(now()).toISOString()})
        WHERE id = ${id} AND is_revoked = 0`
      return fromJson(get`SELECT record FROM tokens WHERE id = ${id}`?.['record'])
    },
  }
}
