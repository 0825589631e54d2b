import { createHash, randomBytes } from 'node:crypto'
import type { Identity } from '../../core/record/index.ts'
import type { Role } from './route.ts'

/** Who logs in, and what they may do. */
export interface Login {
  readonly by: Identity
  readonly roles: readonly Role[]
  /** The groups that the login has said. They count for questions that name groups. */
  readonly groups?: readonly string[]
}

/** Who makes a request. */
export interface Session extends Login {
  /** What forms send, so that another page cannot send them. Left out: a token, which no browser sends by itself. */
  readonly csrf?: string
  /** The address of the client, where a proxy names it. */
  readonly address?: string
  /** Whether it has neither ended nor been ended. */
  isOpen(): boolean
}

/** A person who has logged in with a browser. */
export interface BrowserSession extends Session {
  readonly id: string
  readonly csrf: string
  /** Unix time in milliseconds. */
  readonly startedMs: number
  /** Unix time in milliseconds. */
  readonly endsMs: number
}

/** The sessions and one-time codes of one console. They live in its memory: a restart ends all of them. */
export interface Sessions {
  /** A code that opens one session within the next 60 seconds. */
  issueCode(login: Login): string
  /** Uses up a code. Returns the secret of the new session; undefined if the code is not valid any more. */
  redeem(code: string): string | undefined
  /** Opens a session without a code, which ends at the latest at this Unix time in milliseconds. Returns its secret. */
  open(login: Login, untilMs?: number): string
  find(secret: string): BrowserSession | undefined
  /** The open sessions, the newest first. */
  list(): readonly BrowserSession[]
  end(secret: string): void
  /** Ends the session with this id. Returns it; undefined if none is open. */
  endById(id: string): BrowserSession | undefined
}

/** How long a one-time code is valid. */
const codeMs = 60_000
const sessionMs = 12 * 60 * 60_000
/** Further sessions end the oldest one. */
const mostSessions = 1000

/** Keeps hashes only, so that a dump of the memory's maps holds no secret. `now`: Unix time in milliseconds. */
export function createSessions(now: () => number = Date.now): Sessions {
  const codes = new Map<string, Login & { readonly endsMs: number }>()
  const sessions = new Map<string, BrowserSession>()
  const forgetOld = (): void => {
    for (const known of [codes, sessions])
      for (const [hash, { endsMs }] of known) if (endsMs <= now()) known.delete(hash)
    for (const hash of sessions.keys()) {
      if (sessions.size < mostSessions) break
      sessions.delete(hash)
    }
  }
  const open = ({ by, roles, groups }: Login, untilMs = Number.POSITIVE_INFINITY): string => {
    forgetOld()
    const secret = newSecret()
    const hash = hashOf(secret)
    const endsMs = Math.min(now() + sessionMs, untilMs)
    sessions.set(hash, {
      id: randomBytes(6).toString('hex'),
      by,
      roles,
      ...(groups === undefined ? {} : { groups }),
      csrf: newSecret(),
      startedMs: now(),
      endsMs,
      isOpen: () => endsMs > now() && sessions.has(hash),
    })
    return secret
  }
  return {
    open,
    issueCode(login) {
      forgetOld()
      const code = newSecret()
      codes.set(hashOf(code), { ...login, endsMs: now() + codeMs })
      return code
    },
    redeem(code) {
      const hash = hashOf(code)
      const login = codes.get(hash)
      codes.delete(hash)
      return login === undefined || login.endsMs <= now() ? undefined : open(login)
    },
    find(secret) {
      const session = sessions.get(hashOf(secret))
      return session?.isOpen() === true ? session : undefined
    },
    list: () => [...sessions.values()].filter((session) => session.isOpen()).toReversed(),
    end: (secret) => void sessions.delete(hashOf(secret)),
    endById(id) {
      const [hash, session] = [...sessions].find(([, one]) => one.id === id && one.isOpen()) ?? []
      if (hash !== undefined) sessions.delete(hash)
      return session
    },
  }
}

/** A text that cannot be guessed. */
function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** A look-up by hash takes no time that depends on the secret. */
function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url')
}
