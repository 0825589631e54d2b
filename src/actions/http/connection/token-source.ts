import { steadyNow } from '../../../api/pacing/index.ts'

/** A token, and for how long it can be used. */
export interface FetchedToken {
  readonly token: string
  /** @default until it is refused */
  readonly forMs?: number
}

/** A token that all calls share. It is in this process only: no journal and no history holds it. */
export interface TokenSource {
  /** The token: fetched once for all that ask at the same time, and again before it expires. */
  get(): Promise<string>
  /** This token was refused. True: the next one is fetched anew. */
  forget(token: string | undefined): boolean
}

/** A token is renewed this long before its end, or after nine tenths of a shorter life. */
const earlyMs = 60_000

/** Keeps what `fetch` brings. A failure is not kept: the next call fetches again. */
export function createTokenSource(fetch: () => Promise<FetchedToken>): TokenSource {
  let fetching: Promise<Kept> | undefined
  let kept: Kept | undefined
  const fetchOnce = (): Promise<Kept> => {
    fetching ??= fetch()
      .then((fetched) => {
        kept = keep(fetched)
        return kept
      })
      .finally(() => {
        fetching = undefined
      })
    return fetching
  }
  return {
    async get() {
      if (kept !== undefined && steadyNow() < kept.untilMs) return kept.token
      return (await fetchOnce()).token
    },
    forget(token) {
      // Another call may have renewed it already: the newer token stays.
      if (kept?.token === token) kept = undefined
      return true
    },
  }
}

interface Kept {
  readonly token: string
  readonly untilMs: number
}

function keep({ token, forMs = Number.POSITIVE_INFINITY }: FetchedToken): Kept {
  return { token, untilMs: steadyNow() + usableMs(forMs) }
}

function usableMs(forMs: number): number {
  return forMs === Number.POSITIVE_INFINITY ? forMs : forMs - Math.min(earlyMs, forMs / 10)
}
