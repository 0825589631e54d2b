import { createHmac, randomBytes } from 'node:crypto'
import type { Identity } from '../../core/events.ts'
import { hashOfSecret, type SessionRecord, type SessionStore } from '../store/index.ts'
import type { Role } from './route.ts'

/** Who logs in, and what they may do. */
export interface Login {
  readonly by: Identity
  readonly roles: readonly Role[]
  /** The groups that the login has said. They count for questions that name groups. */
  readonly groups?: readonly string[]
}

/** Who someone is by a name, by groups, and by the stable id that the login has for them. */
export type MakeLogin = (name: string, groups: readonly string[], id?: string) => Login

/** Who makes a request. */
export interface Session extends Login {
  /** That of the session of a browser. */
  readonly id?: string
  /** What forms send, so that another page cannot send them. Left out: a token, which no browser sends by itself. */
  readonly csrf?: string
  /** The address of the client, where a proxy names it. */
  readonly address?: string
  /** The provider has logged the person in. */
  readonly isOfProvider?: boolean
  /** Whether it has neither ended nor been ended. */
  isOpen(): boolean
}

/** A provider whose sessions count. */
export interface SessionProvider {
  /** How it logs people in. Sessions of a log-in that was configured otherwise do not count. */
  readonly name: string
  /** Who someone is by what the provider has said, and by the configuration of now. */
  readonly login: MakeLogin
}

/** The sessions and one-time codes of one console. Codes live in its memory. */
export interface Sessions extends Pick<SessionStore, 'list' | 'end' | 'endById'> {
  /** A code that opens one session within the next 60 seconds. */
  issueCode(login: Login): string
  /** Uses up a code. Returns the secret of the new session; undefined if the code is not valid any more. */
  redeem(code: string): string | undefined
  /** Opens a session of the provider, which ends at the latest at this Unix time in milliseconds. Returns its secret. */
  open(login: Login, untilMs: number): string
  find(secret: string): Session | undefined
}

/** How long a one-time code is valid. */
const codeMs = 60_000
const sessionMs = 12 * 60 * 60_000

/** The sessions that a store keeps. `now`: Unix time in milliseconds. */
export function createSessions(
  store: SessionStore,
  provider?: SessionProvider,
  now: () => number = Date.now,
): Sessions {
  const codes = new Map<string, Login & { readonly endsMs: number }>()
  const forgetOld = (): void => {
    for (const [hash, { endsMs }] of codes) if (endsMs <= now()) codes.delete(hash)
  }
  /** The record as it counts now. Roles may have changed since the log-in. */
  const current = (record: SessionRecord): readonly SessionRecord[] => {
    if (record.provider === undefined) return [record]
    if (record.provider !== provider?.name) return []
    return [{ ...record, roles: provider.login(record.by.name, record.groups ?? []).roles }]
  }
  const findRecord = (secret: string): SessionRecord | undefined => {
    const record = store.find(secret)
    return record === undefined ? undefined : current(record)[0]
  }
  return {
    issueCode(login) {
      forgetOld()
      const code = randomBytes(32).toString('base64url')
      codes.set(hashOfSecret(code), { ...login, endsMs: now() + codeMs })
      return code
    },
    redeem(code) {
      const hash = hashOfSecret(code)
      const login = codes.get(hash)
      if (login === undefined || login.endsMs <= now()) return undefined
      const secret = store.open(login, now() + sessionMs)
      codes.delete(hash)
      return secret
    },
    open(login, untilMs) {
      if (provider === undefined) throw new Error('this console has no provider')
      return store.open({ ...login, provider: provider.name }, Math.min(now() + sessionMs, untilMs))
    },
    find(secret) {
      const record = findRecord(secret)
      if (record === undefined) return undefined
      const { id, by, roles, groups } = record
      return {
        id,
        by,
        roles,
        ...(groups === undefined ? {} : { groups }),
        ...(record.provider === undefined ? {} : { isOfProvider: true }),
        // Not stored: who reads the database cannot make forms of this session.
        csrf: createHmac('sha256', secret).update('csrf').digest('base64url'),
        isOpen: () => findRecord(secret) !== undefined,
      }
    },
    list: () => store.list().flatMap(current),
    end: (secret) => store.end(secret),
    endById: (id) => store.endById(id),
  }
}
