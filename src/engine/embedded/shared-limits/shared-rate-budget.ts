import { cancelled } from '../../../api/cancelled.ts'
import { type AcquireOptions, type RateBudget, type RateLease, unlimited } from '../../../api/rate-budget.ts'
import {
  createWaitingLane,
  type NoPlace,
  type WaitingLane,
  waitForPlace,
} from '../../../api/wait-for-place.ts'
import { steadyNow } from '../../../api/waits.ts'
import type { RateWindow } from '../../../core/rate-windows.ts'
import { bootNow } from './boot-clock.ts'
import type { Ledger } from './ledger.ts'
import type { RatePlace } from './rate-rows.ts'

/** The callers of one key in this process. The one at the head waits in line with the other processes. */
interface Lane extends WaitingLane {
  readonly key: string
  readonly line: string
}

/** The rate budget of all processes that write into one ledger. */
export function createSharedRateBudget(ledger: Ledger): RateBudget {
  const lanes = new Map<string, Lane>()
  const laneOf = (key: string): Lane => {
    const lane = lanes.get(key) ?? { ...createWaitingLane(), key, line: `rate ${key}` }
    lanes.set(key, lane)
    return lane
  }
  return {
    async acquire(key, windows, options = {}) {
      const lane = laneOf(key)
      if (lane.waiting > 0) options.onWait?.({ reason: 'budget' })
      else {
        const place = await askForPlace(ledger, lane, windows, options, false)
        if (!('untilMs' in place)) return place
      }
      return waitInLane(ledger, lane, windows, options)
    },
    pause(key, untilMs) {
      const untilBootMs = Math.ceil(toBootTime(untilMs))
      ledger.note(({ rates }) => rates.pause(key, untilBootMs), 'soon')
      lanes.get(key)?.sleep?.wake()
    },
  }
}

async function waitInLane(
  ledger: Ledger,
  lane: Lane,
  windows: readonly RateWindow[],
  options: AcquireOptions,
): Promise<RateLease> {
  const stopWaiting = ledger.wait()
  try {
    const ask = (): Promise<RateLease | NoPlace> => askForPlace(ledger, lane, windows, options, true)
    const leaveLine = (): void => ledger.note(({ lines, process }) => lines.leave(lane.line, process), 'soon')
    return await waitForPlace(lane, options, ask, leaveLine)
  } finally {
    stopWaiting()
  }
}

/** Asks the ledger, once more at once where somebody turns out to be dead. */
async function askForPlace(
  ledger: Ledger,
  lane: Lane,
  windows: readonly RateWindow[],
  { signal }: AcquireOptions,
  inLine: boolean,
): Promise<RateLease | NoPlace> {
  const { key, line } = lane
  const place = await ledger.ask((page): RatePlace => {
    const { rates, now, process } = page
    const place = rates.take(key, windows, now, process, inLine)
    if (place.isGranted || !ledger.lookAround(page)) return place
    return rates.take(key, windows, now, process, inLine)
  })
  if (signal?.aborted) {
    if (place.isGranted) createLease(ledger, lane, place.slot).cancel()
    else ledger.note(({ lines, process }) => lines.leave(line, process))
    throw cancelled(signal, false)
  }
  if (place.isGranted) return createLease(ledger, lane, place.slot)
  const { reason, untilMs, askAgainMs } = place
  return { reason, untilMs: toSteadyTime(untilMs), askAgainMs: toSteadyTime(askAgainMs) }
}

function createLease(ledger: Ledger, lane: Lane, slot: number | undefined): RateLease {
  if (slot === undefined) return unlimited
  const { key } = lane
  return {
    sent() {
      const at = Math.ceil(bootNow())
      ledger.note(({ rates }) => rates.markSent(key, slot, at))
    },
    done() {
      const at = Math.ceil(bootNow())
      ledger.note(({ rates }) => rates.markAnswered(key, slot, at))
    },
    cancel() {
      ledger.note(({ rates }) => rates.free(key, slot), 'soon')
      lane.sleep?.wake()
    },
  }
}

/** The clock of this process and that of the boot run side by side; only their beginnings differ. */
const steadyAheadMs = steadyNow() - bootNow()

function toBootTime(steadyMs: number): number {
  return steadyMs - steadyAheadMs
}

function toSteadyTime(bootMs: number): number {
  return bootMs + steadyAheadMs
}
