/**
 * The order in which a resumed run replays what its record holds: as it ended then, and before anything new. Without
 * it, branches that run at the same time could meet each other in another order than the first time.
 */
export interface ReplayOrder {
  /** Resolves when what ended at that time is next by the record, among equal times by its position. */
  waitForReplay(timeMs: number, position?: number): Promise<void>
  /** Resolves when nothing waits to be replayed any more: something new may begin. */
  afterReplay(): Promise<void>
  /** One more entry of the record was replayed, or its attempt is made again. */
  consumed(): void
  /** Nothing is left to replay: everything from now on is new. */
  isOver(): boolean
}

interface Waiting {
  readonly timeMs: number
  readonly position: number
  readonly resolve: () => void
}

/**
 * The replay order of a run whose record holds this number of entries. Once all are consumed, nothing waits any more.
 * `soon` calls back after everything that follows immediately from the last entry.
 */
export function createReplayOrder(entries: number, soon: (callback: () => void) => void): ReplayOrder {
  let rest = entries
  const waiting: Waiting[] = []
  let afterwards: (() => void)[] = []
  let isDue = false

  /** One at a time: what follows from it may be next, or may cancel what waits. */
  const replayNext = (): void => {
    isDue = false
    const [first] = waiting
    if (first) {
      const next = waiting.reduce((least, one) => (isBefore(one, least) ? one : least), first)
      waiting.splice(waiting.indexOf(next), 1)
      next.resolve()
      replayNextSoon()
      return
    }
    const released = afterwards
    afterwards = []
    for (const resolve of released) resolve()
  }
  const replayNextSoon = (): void => {
    if (isDue) return
    isDue = true
    soon(replayNext)
  }
  const isOver = (): boolean => rest <= 0 && waiting.length === 0

  return {
    waitForReplay(timeMs, position = Number.MAX_SAFE_INTEGER) {
      if (rest <= 0) return Promise.resolve()
      replayNextSoon()
      return new Promise((resolve) => waiting.push({ timeMs, position, resolve }))
    },
    afterReplay() {
      if (isOver()) return Promise.resolve()
      replayNextSoon()
      return new Promise((resolve) => afterwards.push(resolve))
    },
    consumed() {
      rest--
    },
    isOver,
  }
}

function isBefore(one: Waiting, other: Waiting): boolean {
  return one.timeMs < other.timeMs || (one.timeMs === other.timeMs && one.position < other.position)
}
