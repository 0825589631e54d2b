import { randomBytes } from 'node:crypto'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { SessionDocument } from '../../documents/index.ts'
import { fromJson, sql } from '../../engine/embedded/index.ts'
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
  const { run, get, all } = sql(database)
  return {
    open({ by, roles, groups, provider }, endsMs) {
      const secret = randomBytes(32).toString('base64url')
      const nowMs = now()
      run`DELETE FROM sessions WHERE ends_ms <= ${nowMs} OR rowid <=
        (SELECT rowid FROM sessions WHERE ends_ms > ${nowMs} ORDER BY rowid DESC LIMIT 1 OFFSET ${mostSessions - 1})`
      const id = randomBytes(6).toString('hex')
      const [since, until] = [nowMs, endsMs].map((ms) => new Date(ms).toISOString())
      const record = JSON.stringify({ id, by, roles, groups, provider, since, until })
      run`INSERT INTO sessions (id, hash, ends_ms, record) VALUES (${id}, ${hashOfSecret(secret)}, ${endsMs}, ${record})`
      return secret
    },
    // The look-up by hash takes no time that depends on the secret.
    find: (secret) =>
      fromJson(
        get`SELECT record FROM sessions WHERE hash = ${hashOfSecret(secret)} AND ends_ms > ${now()}`?.[
          'record'
        ],
      ),
    list: () =>
      all`SELECT record FROM sessions WHERE ends_ms > ${now()} ORDER BY rowid DESC`.map(({ record }) =>
        JSON.parse(String(record)),
      ),
    end: (secret) => void run`DELETE FROM sessions WHERE hash = ${hashOfSecret(secret)}`,
    endById(id) {
      const [ended] = all`DELETE FROM sessions WHERE id = ${id} AND ends_ms > ${now()} RETURNING record`
      return fromJson(ended?.['record'])
    },
  }
}
