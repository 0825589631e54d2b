/** Times of a message exchange with a limiter: `askedMs` and `heardMs` by the clock of this process. */
export interface ClockExchange {
  readonly askedMs: number
  readonly heardMs: number
  /** The clock of the limiter when it answered. */
  readonly atMs: number
  /** How long the limiter held the request before. */
  readonly heldMs?: number
}

/**
 * Places times of this process between bounds on the clock of a limiter, and the other way round. A single message
 * leaves open how long it was under way. The fastest ones of the last seconds leave the least open, in each direction.
 */
export interface LimiterClock {
  heard(exchange: ClockExchange): void
  /** The earliest own time of an instant of the limiter. */
  earliestMs(atMs: number): number
  /** The latest own time of an instant of the limiter. */
  latestMs(atMs: number): number
  /** The latest instant of the limiter at an own time; undefined where it has not answered for 10 s. */
  latestInstantMs(ownMs: number): number | undefined
}

/** How far the limiter is ahead of this process, as known at an own time. */
interface Bounds {
  readonly knownMs: number
  readonly leastMs: number
  readonly mostMs: number
}

/** Older messages are forgotten: clocks drift, and can be set. */
const rememberedMs = 10_000
/** How much a clock can drift: one millisecond in a second. */
const drift = 0.001
/** The limiter counts whole milliseconds. */
const roundingMs = 1

export function createLimiterClock(): LimiterClock {
  let known: readonly Bounds[] = []
  let bounds: Pick<Bounds, 'leastMs' | 'mostMs'> | undefined
  const isSound = ({ leastMs, mostMs }: Pick<Bounds, 'leastMs' | 'mostMs'>): boolean => leastMs <= mostMs
  return {
    heard({ askedMs, heardMs, atMs, heldMs = 0 }) {
      const leastMs = atMs - heardMs
      const mostMs = atMs - heldMs + roundingMs - askedMs
      const newest = { knownMs: heardMs, leastMs, mostMs }
      known = [...known.filter(({ knownMs }) => heardMs - knownMs < rememberedMs), newest]
      bounds = narrowest(known, heardMs)
      if (isSound(bounds)) return
      // A clock was set, maybe while the request was held: only the arrival of the answer is certain.
      const certain = isSound(newest) ? newest : { ...newest, mostMs: leastMs }
      known = [certain]
      bounds = certain
    },
    earliestMs: (atMs) => atMs - (bounds?.mostMs ?? 0),
    latestMs: (atMs) => atMs - (bounds?.leastMs ?? 0),
    latestInstantMs(ownMs) {
      const ageMs = ownMs - (known.at(-1)?.knownMs ?? Number.NEGATIVE_INFINITY)
      if (!bounds || ageMs > rememberedMs) return undefined
      return Math.ceil(ownMs + bounds.mostMs + Math.max(0, ageMs) * drift)
    },
  }
}

function narrowest(known: readonly Bounds[], nowMs: number): Pick<Bounds, 'leastMs' | 'mostMs'> {
  const driftMs = (knownMs: number): number => (nowMs - knownMs) * drift
  return {
    leastMs: Math.max(...known.map(({ knownMs, leastMs }) => leastMs - driftMs(knownMs))),
    mostMs: Math.min(...known.map(({ knownMs, mostMs }) => mostMs + driftMs(knownMs))),
  }
}
