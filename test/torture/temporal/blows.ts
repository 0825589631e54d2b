import type { Random } from '../../fuzz/random.ts'

/** What is struck in a round. */
export type TemporalKind = 'workers' | 'servers' | 'all'

export const temporalKinds: readonly TemporalKind[] = ['workers', 'servers', 'all']

/** One blow, so long after the one before. */
export type ClusterBlow = { readonly afterMs: number } & (
  | { readonly at: 'worker'; readonly signal: 'SIGKILL' | 'SIGTERM' }
  | { readonly at: 'server'; readonly outageMs: number }
)

/** Makes up the blows of a round. `longestOutageMs` is that of its outages. */
export function createBlows(
  kind: TemporalKind,
  random: Random,
  longestOutageMs: number,
): readonly ClusterBlow[] {
  const count = 3 + random.below(4)
  return Array.from({ length: count }, (_, index) => {
    const afterMs = random.below(2500)
    // An outage at least, where they are what the round is about.
    const isServer = kind === 'servers' ? index === 0 || random.next() < 0.3 : random.next() < 0.35
    if (kind !== 'workers' && isServer)
      return { afterMs, at: 'server', outageMs: 1000 + random.below(longestOutageMs - 1000) }
    const signal = kind === 'servers' || random.next() < 0.3 ? 'SIGTERM' : 'SIGKILL'
    return { afterMs, at: 'worker', signal }
  })
}
