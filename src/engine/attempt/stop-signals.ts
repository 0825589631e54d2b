import type { Cancellation } from '../../core/host/index.ts'

/** The signal that ends attempts. */
export interface AttemptSignal {
  readonly signal: AbortSignal
  /** The attempt is over. */
  release(): void
}

/** Signals that are aborted when the process must stop, or when the cancellation of the attempt is. */
export interface StopSignals {
  take(cancellation: Cancellation): AttemptSignal
}

interface Shared extends AttemptSignal {
  users: number
  forget(): void
}

/** One signal for all attempts with the same cancellation, since creating a signal costs more than using it. */
export function createStopSignals(interrupt: Cancellation): StopSignals {
  const shared = new Map<Cancellation, Shared>()
  /** The last used cancellation that no attempt uses now. The next attempt usually has the same one. */
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
