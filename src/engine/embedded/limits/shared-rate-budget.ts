import {
  type AcquireOptions,
  cancelled,
  createWaitingLane,
  type NoPermit,
  type RateBudget,
  type RateLease,
  steadyNow,
  unlimited,
  type WaitingLane,
  waitForPermit,
} from '../../../api/pacing/index.ts'
import type { RateWindow } from '../../../core/pacing/index.ts'
import { bootNow } from './boot-clock.ts'
import type { Ledger } from './ledger.ts'
import type { RatePermit } from './rate-rows.ts'

/** The callers of one key in this process. The first one waits in line with the other processes. */
interface Lane extends WaitingLane {
  readonly key: string
  readonly line: string
}

/** The rate budget of all processes of one ledger. */
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
        const permit = await askForPermit(ledger, lane, windows, options, false)
        if (!('untilMs' in permit)) return permit
        // Others that asked in the same transaction may stand before it, and only the one at the head reports.
        if (lane.waiting > 0) options.onWait?.({ reason: permit.reason })
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
    const ask = (): Promise<RateLease | NoPermit> => askForPermit(ledger, lane, windows, options, true)
    const leaveLine = (): void => ledger.note(({ lines, process }) => lines.leave(lane.line, process), 'soon')
    return await waitForPermit(lane, options, ask, leaveLine)
  } finally {
    stopWaiting()
  }
}

/** Asks the ledger, and again if a dead process was found. */
async function askForPermit(
  ledger: Ledger,
  lane: Lane,
  windows: readonly RateWindow[],
  { signal }: AcquireOptions,
  inLine: boolean,
): Promise<RateLease | NoPermit> {
  const { key, line } = lane
  const permit = await ledger.ask((page): RatePermit => {
    const { rates, now, process } = page
    const permit = rates.take(key, windows, now, process, inLine)
    if (permit.isGranted || !ledger.releaseDead(page)) return permit
    return rates.take(key, windows, now, process, inLine)
  })
  if (signal?.aborted) {
    if (permit.isGranted) createLease(ledger, lane, permit.slot).cancel()
    else ledger.note(({ lines, process }) => lines.leave(line, process))
    throw cancelled(signal, false)
  }
  if (permit.isGranted) return createLease(ledger, lane, permit.slot)
  const { reason, untilMs, askAgainMs } = permit
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

/** The offset between the clock of this process and that of the boot, which run at the same speed. */
const steadyAheadMs = steadyNow() - bootNow()

function toBootTime(steadyMs: number): number {
  return steadyMs - steadyAheadMs
}

function toSteadyTime(bootMs: number): number {
  return bootMs + steadyAheadMs
}
