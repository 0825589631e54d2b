import { randomBytes } from 'node:crypto'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { SessionDocument } from '../../documents/index.ts'
import { readRecords } from './database.ts'
import { hashOfSecret } from './hash-of-secret.ts'

/** A session of a browser as lists show it. It does not hold the secret, which cannot be derived from it. */
export interface SessionRecord extends Omit<SessionDocument, 'is_own'> {
  /** The log-in that has said who it is. Left out: a one-time code. */
  readonly provider?: string
}

/** The sessions of browsers. Every method throws where the disk fails. */
export interface SessionStore {
  /** Opens a session until a Unix time in milliseconds. Its secret is returned once, and is stored as SHA-256. */
  open(session: Omit<SessionRecord, 'id' | 'since' | 'until'>, endsMs: number): string
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
  const byHash = database.prepare('SELECT record FROM sessions WHERE hash = ? AND ends_ms > ?')
  const forgetOld = database.prepare(
    `DELETE FROM sessions WHERE ends_ms <= ?1 OR rowid <=
      (SELECT rowid FROM sessions WHERE ends_ms > ?1 ORDER BY rowid DESC LIMIT 1 OFFSET ?2)`,
  )
  return {
    open({ by, roles, groups, provider }, endsMs) {
      const secret = randomBytes(32).toString('base64url')
      forgetOld.run(now(), mostSessions - 1)
      const id = randomBytes(6).toString('hex')
      const [since, until] = [now(), endsMs].map((ms) => new Date(ms).toISOString())
      database
        .prepare('INSERT INTO sessions (id, hash, ends_ms, record) VALUES (?, ?, ?, ?)')
        .run(
          id,
          hashOfSecret(secret),
          endsMs,
          JSON.stringify({ id, by, roles, groups, provider, since, until }),
        )
      return secret
    },
    // The look-up by hash takes no time that depends on the secret.
    find: (secret) => readRecords<SessionRecord>(byHash.all(hashOfSecret(secret), now()))[0],
    list: () =>
      readRecords(
        database.prepare('SELECT record FROM sessions WHERE ends_ms > ? ORDER BY rowid DESC').all(now()),
      ),
    end: (secret) => void database.prepare('DELETE FROM sessions WHERE hash = ?').run(hashOfSecret(secret)),
    endById: (id) =>
      readRecords<SessionRecord>(
        database.prepare('DELETE FROM sessions WHERE id = ? AND ends_ms > ? RETURNING record').all(id, now()),
      )[0],
  }
}
