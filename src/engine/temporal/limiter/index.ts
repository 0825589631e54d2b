/** The rate budget and the target locks of all processes on one Temporal namespace. */
import { createHash, randomBytes } from 'node:crypto'
import { Context } from '@temporalio/activity'
import type { Client } from '@temporalio/client'
import type { RateBudget, TargetLocks } from '../../../api/index.ts'
import { type Opened, openTogether } from '../../opened.ts'
import { connectClient, type TemporalSettings } from '../connection.ts'
import { connectWorker } from '../worker/connect-worker.ts'
import { createLimiterPort } from './limiter-port.ts'
import {
  type HandedPermits,
  holdTargetActivity,
  rateLimiterType,
  type TargetTurn,
  takePermitsActivity,
  targetLockType,
  wantTargetSignal,
} from './messages.ts'
import { openProcessQueue } from './process-queue.ts'
import { createRateLane, type RateLane } from './rate-lane.ts'
import { createSharedRateBudget } from './shared-rate-budget.ts'
import { createSharedTargetLocks, type SendTargetRequest } from './shared-target-locks.ts'

/** Everything that calls of several processes share. Give both parts to all clients, and close it after them. */
export interface TemporalLimits {
  readonly budget: RateBudget
  readonly targetLocks: TargetLocks
  /** Releases what this process still has, and disconnects. */
  close(): Promise<void>
}

/**
 * Shares the rate limits of accounts, and the targets that take one call at a time, with all processes on a task queue;
 * its workers run the limiters and the locks. Together the processes never make more calls than the windows allow. What a
 * process held when it died is free again after seconds. Rejects as {@link connectClient} does.
 */
export function openTemporalLimits(settings: TemporalSettings): Promise<TemporalLimits> {
  return openTogether((opened) => openLimits(settings, opened))
}

async function openLimits(settings: TemporalSettings, opened: Opened): Promise<TemporalLimits> {
  const { namespace, taskQueue } = settings
  // In this order: the client has better words for what is wrong.
  const client = await connectClient(settings)
  opened.add(() => client.connection.close())
  const native = await connectWorker(settings)
  opened.add(() => native.close())
  const process = `opsbook-process/${taskQueue}/${randomBytes(6).toString('hex')}`
  const lanes = new Map<string, RateLane>()
  const laneOf = (key: string): RateLane => {
    const place = {
      client,
      taskQueue,
      workflowType: rateLimiterType,
      workflowId: `opsbook-limits/${taskQueue}/${key}`,
    }
    const lane = lanes.get(key) ?? createRateLane(createLimiterPort(place), key, process)
    lanes.set(key, lane)
    return lane
  }
  const targetLocks = createSharedTargetLocks(sendTo(client, taskQueue), process)
  const queue = await openProcessQueue(
    { native, namespace, name: process },
    {
      [holdTargetActivity]: (turn: TargetTurn) => targetLocks.hold(turn, Context.current()),
      [takePermitsActivity]: async ({ key, ...handed }: HandedPermits) => laneOf(key).take(handed),
    },
  )
  opened.add(() => queue.close())
  return {
    budget: createSharedRateBudget(laneOf),
    targetLocks,
    async close() {
      targetLocks.close()
      await Promise.all([...lanes.values()].map((lane) => lane.close()))
      await opened.close()
    },
  }
}

function sendTo(client: Client, taskQueue: string): SendTargetRequest {
  return async (target, request) => {
    await client.withDeadline(Date.now() + requestMs, () =>
      client.workflow.signalWithStart(targetLockType, {
        workflowId: targetLockId(taskQueue, target),
        taskQueue,
        args: [target],
        signal: wantTargetSignal,
        signalArgs: [request],
        staticSummary: `turns at ${target}`.slice(0, longestSummary),
      }),
    )
  }
}

/** A request without an answer for this long is repeated: the client's own pauses become longer and longer. */
const requestMs = 3000

/** The server takes no longer ones. */
const longestSummary = 200

/** The id of the workflow that is the lock of a target. */
export function targetLockId(taskQueue: string, target: string): string {
  const hash = createHash('sha256').update(target).digest('hex').slice(0, 16)
  return `opsbook-target/${taskQueue}/${hash}`
}
