/** The rate budget and the target locks of all processes that use one data directory. */
import type { RateBudget, RateBudgetOptions, TargetLocks } from '../../../api/index.ts'
import { openLimits } from './open-limits.ts'
import { openPermits } from './permits.ts'
import { usualMarginMs } from './schema.ts'
import { createSharedRateBudget } from './shared-rate-budget.ts'
import { createSharedTargetLocks } from './shared-target-locks.ts'

/** The limits that several processes share. Give both parts to all clients, and close it after them. */
export interface SharedLimits {
  readonly budget: RateBudget
  readonly targetLocks: TargetLocks
  /** Releases the permits and targets of this process. */
  close(): void
}

/** How limits are shared. */
export interface SharedLimitsOptions extends RateBudgetOptions {
  /**
   * How long another program may keep the file locked before calls fail with `DataDirUnusable`, in milliseconds.
   * @default 10_000
   */
  readonly maxWaitMs?: number
  /**
   * Receives the message that the counts were lost with a damaged file.
   * @default a warning of the process
   */
  readonly onWarning?: (message: string) => void
}

/**
 * Shares the rate limits of accounts, and the targets that take one call at a time, with all processes of this data
 * directory. Together they never make more calls than the windows allow. What a process held when it died is released.
 * Throws `DataDirUnusable`.
 */
export function createSharedLimits(dataDir: string, options: SharedLimitsOptions = {}): SharedLimits {
  const { marginMs = usualMarginMs, maxWaitMs = 10_000, onWarning = warn } = options
  const limits = openLimits(dataDir, { marginMs, maxWaitMs, onWarning })
  const permits = openPermits(limits, maxWaitMs)
  const targetLocks = createSharedTargetLocks(limits.targetsFolder)
  return {
    budget: createSharedRateBudget(permits),
    targetLocks,
    close() {
      targetLocks.close()
      permits.close()
    },
  }
}

function warn(message: string): void {
  process.emitWarning(message)
}
