/** The rate budget and the target locks of all processes on one Temporal namespace. */
import { randomBytes } from 'node:crypto'
import type { Client } from '@temporalio/client'
import type { RateBudget, TargetLocks } from '../../../api/index.ts'
import { createLimiterPort, type LimiterPort } from './limiter-port.ts'
import { rateLimiterType, targetKeeperType } from './messages.ts'
import { createRateLane, type RateLane } from './rate-lane.ts'
import { createSharedRateBudget } from './shared-rate-budget.ts'
import { createSharedTargetLocks } from './shared-target-locks.ts'

/** Everything that calls of several processes share. Give both parts to all clients, and close it after them. */
export interface TemporalLimits {
  readonly budget: RateBudget
  readonly targetLocks: TargetLocks
  /** Gives back what this process still has. */
  close(): Promise<void>
}

/** Where limits are kept: processes share those of one task queue. */
export interface TemporalLimitsOptions {
  readonly client: Client
  /** Its workers carry the limiters out. */
  readonly taskQueue: string
}

/**
 * Shares the rate limits of accounts, and the targets that take one call at a time, with all processes on a task queue.
 * Together they never make more calls than the windows allow. A process that is alone asks for places ahead, and so
 * rarely waits for an answer; what a process held when it died is free again after seconds.
 */
export function createTemporalLimits({ client, taskQueue }: TemporalLimitsOptions): TemporalLimits {
  const process = randomBytes(6).toString('hex')
  const lanes = new Map<string, RateLane>()
  const portOf = (workflowType: string, workflowId: string): LimiterPort =>
    createLimiterPort({ client, taskQueue, workflowType, workflowId })
  const laneOf = (key: string): RateLane => {
    const lane =
      lanes.get(key) ?? createRateLane(portOf(rateLimiterType, `opsbook-limits/${taskQueue}/${key}`), process)
    lanes.set(key, lane)
    return lane
  }
  const targetLocks = createSharedTargetLocks(
    portOf(targetKeeperType, `opsbook-targets/${taskQueue}`),
    process,
  )
  return {
    budget: createSharedRateBudget(laneOf),
    targetLocks,
    async close() {
      await Promise.all([targetLocks.close(), ...[...lanes.values()].map((lane) => lane.close())])
    },
  }
}
