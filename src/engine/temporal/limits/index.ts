/** The rate budget and the target locks of all processes on one Temporal namespace. */
import { createHash, randomBytes } from 'node:crypto'
import { Context } from '@temporalio/activity'
import type { Client } from '@temporalio/client'
import { type NativeConnection, Worker } from '@temporalio/worker'
import type { RateBudget, TargetLocks } from '../../../api/index.ts'
import { type Opened, openTogether } from '../../index.ts'
import { workerPayloads } from '../codec/worker-payloads.ts'
import { connectClient, type TemporalSettings } from '../connection.ts'
import { connectWorker } from '../worker/connect-worker.ts'
import { createLimiterClient, type LimiterClient } from './limiter-client.ts'
import { createLimiterPort, createOutageWarning, refusal } from './limiter-port.ts'
import {
  holdTargetActivity,
  limiterId,
  type TargetUse,
  targetLockType,
  wantTargetSignal,
} from './messages.ts'
import { createSharedRateBudget } from './shared-rate-budget.ts'
import { createSharedTargetLocks, type SharedTargetLocksOptions } from './shared-target-locks.ts'

/** Everything that calls of several processes share. Give both parts to all clients, and close it after them. */
export interface TemporalLimits {
  readonly budget: RateBudget
  readonly targetLocks: TargetLocks
  /** Releases what this process still has, and disconnects. */
  close(): Promise<void>
}

/** How the limits of a process report problems. */
export interface TemporalLimitsOptions {
  /** Called once when a limiter, or the locks, have not answered for 30 seconds. @default nothing is reported */
  readonly warn?: (message: string) => void
}

/**
 * Shares the rate limits of accounts, and the targets that take one call at a time, with all processes on a task queue;
 * its workers run the limiters and the locks. Together the processes never make more calls than the windows allow. What a
 * process that died had reserved counts as used, and its targets are free after 10 s. Rejects as {@link connectClient} does.
 */
export function openTemporalLimits(
  settings: TemporalSettings,
  { warn = () => {} }: TemporalLimitsOptions = {},
): Promise<TemporalLimits> {
  return openTogether((opened) => openLimits(settings, warn, opened))
}

async function openLimits(
  settings: TemporalSettings,
  warn: (message: string) => void,
  opened: Opened,
): Promise<TemporalLimits> {
  const { namespace, taskQueue } = settings
  // The client first: its errors explain more.
  const client = await connectClient(settings, { retriesBusy: false })
  opened.add(() => client.connection.close())
  const native = await connectWorker(settings)
  opened.add(() => native.close())
  const process = `opsbook-process/${taskQueue}/${randomBytes(6).toString('hex')}`
  const limiters = new Map<string, LimiterClient>()
  const limiterOf = (key: string): LimiterClient => {
    const known = limiters.get(key)
    if (known) return known
    const workflowId = limiterId(taskQueue, key)
    const outage = createOutageWarning(`the rate limiter ${workflowId}`, warn)
    const limiter = createLimiterClient(createLimiterPort({ client, settings, workflowId, outage }))
    limiters.set(key, limiter)
    return limiter
  }
  const targetLocks = createSharedTargetLocks({
    process,
    send: sendTo(client, taskQueue),
    refusal: (thrown) => refusal(thrown, 'the target lock', settings),
    outage: createOutageWarning(`the target locks of ${taskQueue}`, warn),
  })
  const queue = await openProcessQueue({ connection: native, namespace, taskQueue: process }, (use) =>
    targetLocks.hold(use, Context.current()),
  )
  opened.add(() => queue.close())
  return {
    budget: createSharedRateBudget(limiterOf),
    targetLocks,
    async close() {
      targetLocks.close()
      await Promise.all([...limiters.values()].map((limiter) => limiter.close()))
      await opened.close()
    },
  }
}

function sendTo(client: Client, taskQueue: string): SharedTargetLocksOptions['send'] {
  return async (target, request) => {
    await client.withDeadline(Date.now() + requestMs, () =>
      client.workflow.signalWithStart(targetLockType, {
        workflowId: targetLockId(taskQueue, target),
        taskQueue,
        args: [target],
        signal: wantTargetSignal,
        signalArgs: [request],
        staticSummary: `lock of ${target}`.slice(0, longestSummary),
      }),
    )
  }
}

/** A request without an answer after this time is repeated, since the pauses of the client itself grow. */
const requestMs = 3000

/** The server takes no longer ones. */
const longestSummary = 200

/** The id of the workflow that is the lock of a target. */
export function targetLockId(taskQueue: string, target: string): string {
  const hash = createHash('sha256').update(target).digest('hex').slice(0, 16)
  return `opsbook-target/${taskQueue}/${hash}`
}

/** Polls the queue of this process, through which locks grant targets: up to 1000 at a time. */
async function openProcessQueue(
  where: { readonly connection: NativeConnection; readonly namespace: string; readonly taskQueue: string },
  hold: (use: TargetUse) => Promise<void>,
): Promise<{ close(): Promise<void> }> {
  const worker = await Worker.create({
    ...where,
    ...workerPayloads('calls'),
    activities: { [holdTargetActivity]: hold },
    maxConcurrentActivityTaskExecutions: 1000,
    maxConcurrentActivityTaskPolls: 2,
    maxHeartbeatThrottleInterval: '500 ms',
    // The locks notice when the process has gone.
    shutdownGraceTime: 0,
  })
  // An error that ends it ends the other workers of the process, too.
  const ended = worker.run().catch(() => {})
  return {
    async close() {
      if (worker.getState() === 'RUNNING') worker.shutdown()
      await ended
    },
  }
}
