import type { Context } from '@temporalio/activity'
import { longestWaitMs } from '../attempt-times.ts'
import type { AttemptHeartbeat } from '../messages.ts'

/** Reports to the server that an attempt is alive, and what it waits for. */
export interface AttemptPulse {
  /** The attempt waits for this from now on; undefined: for nothing. */
  waitFor(wait: Omit<NonNullable<AttemptHeartbeat['waitsFor']>, 'sinceMs'> | undefined): void
  /** The attempt was ended since it has waited for too long. */
  readonly hasWaitedTooLong: boolean
  stop(): void
}

/** How often the server gets a heartbeat at first, and a cancellation can reach the attempt with the answer. */
const heartbeatMs = 1000
/** How many of them there are until every third one is enough: hundreds of attempts that wait would keep a server busy. */
const quickBeats = 10
const slowEvery = 3

/**
 * Begins to report. `giveUp` is called once when the attempt has waited for longer than it may. `earlierMs`: since when it
 * has waited on other workers.
 */
export function startPulse(
  { heartbeat }: Pick<Context, 'heartbeat'>,
  giveUp: () => void,
  earlierMs?: number,
): AttemptPulse {
  let waitsFor: AttemptHeartbeat['waitsFor']
  let beganMs = 0
  let hasWaitedTooLong = false
  let beats = 0
  const beat = (): void => {
    const isTooLong = waitsFor !== undefined && Date.now() - beganMs >= longestWaitMs
    if (isTooLong && !hasWaitedTooLong) {
      hasWaitedTooLong = true
      giveUp()
    }
    beats++
    if (beats > quickBeats && beats % slowEvery !== 0) return
    if (waitsFor) heartbeat({ waitsFor } satisfies AttemptHeartbeat)
    else heartbeat()
  }
  const timer = setInterval(beat, heartbeatMs)
  return {
    waitFor(wait) {
      if (wait && !waitsFor) beganMs = Date.now()
      waitsFor = wait && { ...wait, sinceMs: earlierMs ?? beganMs }
    },
    get hasWaitedTooLong() {
      return hasWaitedTooLong
    },
    stop: () => clearInterval(timer),
  }
}
