import { createHash, randomBytes } from 'node:crypto'
import type { Identity } from '../../core/record/index.ts'
import type { Role } from './route.ts'

/** A person who has logged in to the console. */
export interface Session {
  readonly by: Identity
  readonly roles: readonly Role[]
  /** What forms send, so that another page cannot send them. */
  readonly csrf: string
  /** Unix time in milliseconds. */
  readonly endsMs: number
}

/** Who logs in with a code. */
export type Login = Pick<Session, 'by' | 'roles'>

/** The sessions and one-time codes of one console. They live in its memory: a restart ends all of them. */
export interface Sessions {
  /** A code that opens one session within the next 60 seconds. */
  issueCode(login: Login): string
  /** Uses up a code. Returns the secret of the new session; undefined if the code is not valid any more. */
  redeem(code: string): string | undefined
  /** Opens a session without a code. Returns its secret. */
  open(login: Login): string
  find(secret: string): Session | undefined
  /** Whether a session that was found has neither ended nor been ended. */
  isOpen(session: Session): boolean
  end(secret: string): void
}

/** How long a one-time code is valid. */
const codeMs = 60_000
const sessionMs = 12 * 60 * 60_000
/** Further sessions end the oldest one. */
const mostSessions = 1000

/** Keeps hashes only, so that a dump of the memory's maps holds no secret. `now`: Unix time in milliseconds. */
export function createSessions(now: () => number = Date.now): Sessions {
  const codes = new Map<string, Login & { readonly endsMs: number }>()
  const sessions = new Map<string, Session>()
  const forgetOld = (): void => {
    for (const known of [codes, sessions])
      for (const [hash, { endsMs }] of known) if (endsMs <= now()) known.delete(hash)
    for (const hash of sessions.keys()) {
      if (sessions.size < mostSessions) break
      sessions.delete(hash)
    }
  }
  const open = ({ by, roles }: Login): string => {
    forgetOld()
    const secret = newSecret()
    sessions.set(hashOf(secret), { by, roles, csrf: newSecret(), endsMs: now() + sessionMs })
    return secret
  }
  return {
    open,
    issueCode({ by, roles }) {
      forgetOld()
      const code = newSecret()
      codes.set(hashOf(code), { by, roles, endsMs: now() + codeMs })
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
      return session === undefined || session.endsMs <= now() ? undefined : session
    },
    isOpen: (session) => session.endsMs > now() && [...sessions.values()].includes(session),
    end: (secret) => void sessions.delete(hashOf(secret)),
  }
}

function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** A look-up by hash takes no time that depends on the secret. */
function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url')
}
