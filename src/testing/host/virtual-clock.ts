/** A sleep that can end early. */
export interface VirtualSleep {
  readonly ended: Promise<void>
  wake(): void
}

/** Time that passes only while nothing else can happen. */
export interface VirtualClock {
  /** Unix time in milliseconds. */
  now(): number
  /** Ends at that time, at once where it has come already, never where it is infinite. */
  sleepUntil(timeMs: number): VirtualSleep
  /** Resolves when nothing else is left to do, and before time passes: one after the other, the lowest order first. */
  whenIdle(order: number): Promise<void>
  /** Stops time until the work ends, which takes real time. Resolves and rejects as the work does. */
  hold<T>(work: Promise<T>): Promise<T>
  /**
   * Runs the work to its end: time jumps to the next sleeper whenever nothing else is left to do. Rejects where
   * everything waits for something that never happens: with {@link NothingHappens}. `beforeJump` is called each time, before it.
   */
  run<T>(work: Promise<T>, beforeJump?: () => void): Promise<T>
}

/** Everything waits, and no time would change that. */
export class NothingHappens extends Error {
  override readonly name = 'NothingHappens'
  override readonly message = 'everything waits for something that never happens'
}

interface Sleeper {
  readonly timeMs: number
  readonly wake: () => void
}

export function createVirtualClock(startMs: number): VirtualClock {
  const sleepers = new Set<Sleeper>()
  const idlers = new Set<Sleeper>()
  const held = new Set<Promise<void>>()
  let now = startMs
  return {
    now: () => now,
    sleepUntil(timeMs) {
      if (timeMs <= now) return { ended: Promise.resolve(), wake: () => {} }
      const { promise, resolve } = withResolvers()
      const sleeper: Sleeper = {
        timeMs,
        wake: () => {
          sleepers.delete(sleeper)
          resolve()
        },
      }
      sleepers.add(sleeper)
      return { ended: promise, wake: sleeper.wake }
    },
    whenIdle(order) {
      const { promise, resolve } = withResolvers()
      idlers.add({ timeMs: order, wake: resolve })
      return promise
    },
    hold(work) {
      const ended = work.then(
        () => void held.delete(ended),
        () => void held.delete(ended),
      )
      held.add(ended)
      return work
    },
    async run(work, beforeJump = () => {}) {
      let isSettled = false
      const settle = (): void => {
        isSettled = true
      }
      work.then(settle, settle)
      for (;;) {
        await quiescence()
        if (isSettled) return work
        if (held.size > 0) {
          await Promise.race(held)
          continue
        }
        const idler = nextOf(idlers)
        if (idler) {
          idlers.delete(idler)
          idler.wake()
          continue
        }
        beforeJump()
        await quiescence()
        if (isSettled) return work
        const sleeper = nextOf(sleepers)
        if (!sleeper) throw new NothingHappens()
        now = sleeper.timeMs
        sleeper.wake()
      }
    },
  }
}

/** Of those at the same time, the one that began to wait first. */
function nextOf(those: ReadonlySet<Sleeper>): Sleeper | undefined {
  let earliest: Sleeper | undefined
  for (const sleeper of those)
    if (sleeper.timeMs < (earliest?.timeMs ?? Number.POSITIVE_INFINITY)) earliest = sleeper
  return earliest
}

/** All promises that can continue have continued before the event loop continues. */
function quiescence(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function withResolvers(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {}
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
