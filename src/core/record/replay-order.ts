/**
 * The order in which a resumed run hears again what it has heard before: as it ended then, and before anything new is
 * done. Without it, branches that run at the same time could meet each other in another order than the first time.
 */
export interface ReplayOrder {
  /** Resolves when it is the turn of what ended at that time, and among equal times at that place, by the record. */
  past(timeMs: number, place?: number): Promise<void>
  /** Resolves when nothing waits any more to be heard again. */
  fresh(): Promise<void>
  /** One more of the entries of the journal has been heard, or is made again. */
  heard(): void
  /** Nothing is heard again any more: all that happens is new. */
  isOver(): boolean
}

interface Waiting {
  readonly timeMs: number
  readonly place: number
  readonly resolve: () => void
}

/**
 * An order for a run whose journal holds so many answers. Once they have all been heard, nothing waits any more. `soon`
 * calls back once all has been done that follows at once from what was heard last.
 */
export function createReplayOrder(entries: number, soon: (callback: () => void) => void): ReplayOrder {
  let rest = entries
  const past: Waiting[] = []
  let fresh: (() => void)[] = []
  let isDue = false

  /** One at a time: what follows from it may be next, or may call off what waits. */
  const hearNext = (): void => {
    isDue = false
    const [first] = past
    if (first) {
      const next = past.reduce((least, one) => (isBefore(one, least) ? one : least), first)
      past.splice(past.indexOf(next), 1)
      next.resolve()
      hearSoon()
      return
    }
    const released = fresh
    fresh = []
    for (const resolve of released) resolve()
  }
  const hearSoon = (): void => {
    if (isDue) return
    isDue = true
    soon(hearNext)
  }
  const isOver = (): boolean => rest <= 0 && past.length === 0

  return {
    past(timeMs, place = Number.MAX_SAFE_INTEGER) {
      if (rest <= 0) return Promise.resolve()
      hearSoon()
      return new Promise((resolve) => past.push({ timeMs, place, resolve }))
    },
    fresh() {
      if (isOver()) return Promise.resolve()
      hearSoon()
      return new Promise((resolve) => fresh.push(resolve))
    },
    heard() {
      rest--
    },
    isOver,
  }
}

function isBefore(one: Waiting, other: Waiting): boolean {
  return one.timeMs < other.timeMs || (one.timeMs === other.timeMs && one.place < other.place)
}
