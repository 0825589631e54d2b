import { randomBytes } from 'node:crypto'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { Identity } from '../../core/events.ts'
import { hashOfSecret } from './hash-of-secret.ts'
import type { Role } from './role.ts'

/** A session of a browser as lists show it. It does not hold the secret, which cannot be derived from it. */
export interface SessionRecord {
  readonly id: string
  readonly by: Identity
  readonly roles: readonly Role[]
  /** The groups that the login has said. */
  readonly groups?: readonly string[]
  /** The log-in that has said who it is. Left out: a one-time code. */
  readonly provider?: string
  /** Unix time in milliseconds. */
  readonly startedMs: number
  /** Unix time in milliseconds. */
  readonly endsMs: number
}

/** The sessions of browsers. Every method throws where the disk fails. */
export interface SessionStore {
  /** Opens a session. Its secret is returned once, and is stored as SHA-256. */
  open(session: Omit<SessionRecord, 'id' | 'startedMs'>): string
  /** The session of this secret, if it has neither ended nor been ended. */
  find(secret: string): SessionRecord | undefined
  /** The open sessions, the newest first. */
  list(): readonly SessionRecord[]
  end(secret: string): void
  /** Ends the session with this id. Returns it; undefined if none is open. */
  endById(id: string): SessionRecord | undefined
}

/** Further sessions end the oldest one. */
const mostSessions = 1000

/** The sessions of a database. `now`: Unix time in milliseconds. */
export function createSessionStore(
  database: DatabaseSyncInstance,
  now: () => number = Date.now,
): SessionStore {
  const byHash = database.prepare('SELECT * FROM sessions WHERE hash = ? AND ends_ms > ?')
  const read = (row: object | undefined): SessionRecord | undefined =>
    row === undefined ? undefined : readRow(row as StoredRow)
  const forgetOld = database.prepare(
    `DELETE FROM sessions WHERE ends_ms <= ?1 OR rowid <=
      (SELECT rowid FROM sessions WHERE ends_ms > ?1 ORDER BY rowid DESC LIMIT 1 OFFSET ?2)`,
  )
  return {
    open({ by, roles, groups, provider, endsMs }) {
      const secret = randomBytes(32).toString('base64url')
      forgetOld.run(now(), mostSessions - 1)
      database
        .prepare(
          'INSERT INTO sessions (id, hash, by, roles, groups, provider, started_ms, ends_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
        )
        .run(
          randomBytes(6).toString('hex'),
          hashOfSecret(secret),
          JSON.stringify(by),
          JSON.stringify(roles),
          groups === undefined ? null : JSON.stringify(groups),
          provider ?? null,
          now(),
          endsMs,
        )
      return secret
    },
    // The look-up by hash takes no time that depends on the secret.
    find: (secret) => read(byHash.get(hashOfSecret(secret), now())),
    list: () =>
      database
        .prepare('SELECT * FROM sessions WHERE ends_ms > ? ORDER BY rowid DESC')
        .all(now())
        .map((row) => readRow(row as unknown as StoredRow)),
    end: (secret) => void database.prepare('DELETE FROM sessions WHERE hash = ?').run(hashOfSecret(secret)),
    endById: (id) =>
      read(database.prepare('DELETE FROM sessions WHERE id = ? AND ends_ms > ? RETURNING *').get(id, now())),
  }
}

interface StoredRow {
  readonly id: string
  readonly by: string
  readonly roles: string
  readonly groups: string | null
  readonly provider: string | null
  readonly started_ms: number
  readonly ends_ms: number
}

function readRow({ id, by, roles, groups, provider, started_ms, ends_ms }: StoredRow): SessionRecord {
  return {
    id,
    by: JSON.parse(by) as Identity,
    roles: JSON.parse(roles) as readonly Role[],
    ...(groups === null ? {} : { groups: JSON.parse(groups) as readonly string[] }),
    ...(provider === null ? {} : { provider }),
    startedMs: started_ms,
    endsMs: ends_ms,
  }
}
