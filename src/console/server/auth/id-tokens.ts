import { randomBytes } from 'node:crypto'
import { hashOfSecret } from '../../store/index.ts'

/** The ID tokens of the sessions of a provider, in memory alone. At a log-out, one shows it whose session ends. */
export interface IdTokens {
  /** Keeps the token of a session until this Unix time in milliseconds. */
  keep(secret: string, token: string, untilMs: number): void
  /** The person has ended the session. Returns what its token can be taken by, once, within 60 seconds. */
  release(secret: string): string | undefined
  take(handle: string): string | undefined
}

const takenWithinMs = 60_000
const most = 1000
/** A longer one could make the header of a page too large for a proxy: the provider asks the person then. */
const longestToken = 2500

/** Holds no tokens yet. `now`: Unix time in milliseconds. */
export function createIdTokens(now: () => number = Date.now): IdTokens {
  const kept = new Map<string, { readonly token: string; readonly untilMs: number }>()
  const take = (key: string): string | undefined => {
    const found = kept.get(key)
    kept.delete(key)
    return found === undefined || found.untilMs <= now() ? undefined : found.token
  }
  const put = (key: string, token: string, untilMs: number): void => {
    for (const [old, one] of kept) if (one.untilMs <= now()) kept.delete(old)
    const [oldest] = kept.keys()
    if (kept.size >= most && oldest !== undefined) kept.delete(oldest)
    kept.set(key, { token, untilMs })
  }
  return {
    keep(secret, token, untilMs) {
      if (token.length <= longestToken) put(sessionKey(secret), token, untilMs)
    },
    release(secret) {
      const token = take(sessionKey(secret))
      if (token === undefined) return undefined
      const handle = randomBytes(32).toString('base64url')
      put(handleKey(handle), token, now() + takenWithinMs)
      return handle
    },
    take: (handle) => take(handleKey(handle)),
  }
}

function sessionKey(secret: string): string {
  return `session ${hashOfSecret(secret)}`
}

function handleKey(handle: string): string {
  return `handle ${hashOfSecret(handle)}`
}
