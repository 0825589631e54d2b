import type { Cancellation } from '../../core/cancellation.ts'

/** What ends attempts, as a signal. */
export interface StopSignal {
  readonly signal: AbortSignal
  /** The attempt is over. */
  release(): void
}

/** Signals that are aborted when the process is to stop, or what asks for an attempt is cancelled. */
export interface StopSignals {
  take(cancellation: Cancellation): StopSignal
}

interface Shared extends StopSignal {
  users: number
  forget(): void
}

/** One signal for all attempts that are cancelled together: to make one takes longer than all that is done with it. */
export function createStopSignals(interrupt: Cancellation): StopSignals {
  const shared = new Map<Cancellation, Shared>()
  /** Used last, and by nobody now: the next attempt mostly asks for the same. */
  let idle: Cancellation | undefined

  const drop = (cancellation: Cancellation): void => {
    shared.get(cancellation)?.forget()
    shared.delete(cancellation)
  }
  const release = (cancellation: Cancellation, one: Shared): void => {
    one.users--
    if (one.users > 0) return
    if (idle && idle !== cancellation) drop(idle)
    idle = cancellation
  }
  const create = (cancellation: Cancellation): Shared => {
    const controller = new AbortController()
    const forgets = [interrupt, cancellation].map((stop) =>
      stop.onCancel(() => controller.abort(stop.reason)),
    )
    const one: Shared = {
      signal: controller.signal,
      users: 0,
      release: () => release(cancellation, one),
      forget() {
        for (const forget of forgets) forget()
      },
    }
    shared.set(cancellation, one)
    return one
  }
  return {
    take(cancellation) {
      if (idle === cancellation) idle = undefined
      const one = shared.get(cancellation) ?? create(cancellation)
      one.users++
      return one
    },
  }
}
