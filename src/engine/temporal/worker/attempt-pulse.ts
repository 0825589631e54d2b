import type { Context } from '@temporalio/activity'
import { longestWaitMs } from '../attempt-times.ts'
import type { AttemptHeartbeat } from '../messages.ts'

/** Reports to the server that an attempt is alive, and what it waits for. */
export interface AttemptPulse {
  /** The attempt waits for this from now on; undefined: for nothing. */
  waitFor(wait: Omit<NonNullable<AttemptHeartbeat['waitsFor']>, 'sinceMs'> | undefined): void
  /** The attempt was given up since it has waited for too long. */
  readonly hasWaitedTooLong: boolean
  stop(): void
}

/** How often the server gets a heartbeat, and with its answer asks for a cancellation. */
const heartbeatMs = 1000

/** Begins to report. `giveUp` is called once when the attempt has waited for longer than it may. */
export function startPulse(
  { heartbeat }: Pick<Context, 'heartbeat'>,
  giveUp: () => void,
  mostWaitMs: number = longestWaitMs,
): AttemptPulse {
  let waitsFor: AttemptHeartbeat['waitsFor']
  let hasWaitedTooLong = false
  const beat = (): void => {
    const isTooLong = waitsFor !== undefined && Date.now() - waitsFor.sinceMs >= mostWaitMs
    if (isTooLong && !hasWaitedTooLong) {
      hasWaitedTooLong = true
      giveUp()
    }
    if (waitsFor) heartbeat({ waitsFor } satisfies AttemptHeartbeat)
    else heartbeat()
  }
  const timer = setInterval(beat, heartbeatMs)
  return {
    waitFor(wait) {
      if (wait === undefined) waitsFor = undefined
      else waitsFor = { ...wait, sinceMs: waitsFor?.sinceMs ?? Date.now() }
    },
    get hasWaitedTooLong() {
      return hasWaitedTooLong
    },
    stop: () => clearInterval(timer),
  }
}
