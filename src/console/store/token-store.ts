import { randomBytes } from 'node:crypto'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { Identity } from '../../core/events.ts'
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
  const byId = database.prepare('SELECT * FROM tokens WHERE id = ?')
  const byHash = database.prepare(
    'SELECT * FROM tokens WHERE hash = ? AND revoked_ms IS NULL AND expires_ms > ?',
  )
  const read = (row: object | undefined): TokenRecord | undefined =>
    row === undefined ? undefined : readRow(row as StoredRow)
  return {
    create({ by, roles, created_by, expiresMs }) {
      const id = randomBytes(6).toString('hex')
      const token = tokenBegin + randomBytes(32).toString('base64url')
      database
        .prepare(
          'INSERT INTO tokens (id, hash, by, roles, created_ms, created_by, expires_ms) VALUES (?, ?, ?, ?, ?, ?, ?)',
        )
        .run(
          id,
          hashOfSecret(token),
          JSON.stringify(by),
          JSON.stringify(roles),
          now(),
          JSON.stringify(created_by),
          expiresMs,
        )
      const record = read(byId.get(id))
      if (record === undefined) throw new Error('a token was not stored')
      return { record, token }
    },
    // The look-up by hash takes no time that depends on the secret.
    find: (token) =>
      token.startsWith(tokenBegin) ? read(byHash.get(hashOfSecret(token), now())) : undefined,
    list: () =>
      database
        .prepare('SELECT * FROM tokens ORDER BY created_ms DESC, rowid DESC')
        .all()
        .map((row) => readRow(row as unknown as StoredRow)),
    revoke(id) {
      database.prepare('UPDATE tokens SET revoked_ms = ? WHERE id = ? AND revoked_ms IS NULL').run(now(), id)
      return read(byId.get(id))
    },
  }
}

interface StoredRow {
  readonly id: string
  readonly by: string
  readonly roles: string
  readonly created_ms: number
  readonly created_by: string
  readonly expires_ms: number
  readonly revoked_ms: number | null
}

function readRow({ id, by, roles, created_ms, created_by, expires_ms, revoked_ms }: StoredRow): TokenRecord {
  return {
    id,
    by: JSON.parse(by) as Identity,
    roles: JSON.parse(roles) as readonly Role[],
    created_at: new Date(created_ms).toISOString(),
    created_by: JSON.parse(created_by) as Identity,
    expires_at: new Date(expires_ms).toISOString(),
    ...(revoked_ms === null ? {} : { revoked_at: new Date(revoked_ms).toISOString() }),
  }
}
