import { setTimeout as sleep } from 'node:timers/promises'
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client'
import { type Concurrency, concurrencyConflict, joinText } from '../../../core/record/index.ts'
import { lockIdsOf } from '../concurrency/lock-id.ts'
import {
  concurrencyLockType,
  type KeptRun,
  type LockMemo,
  lockSummary,
  takePlaceSignal,
} from '../concurrency/messages.ts'
import type { RunMemo } from '../run-listing.ts'
import { type ClientPorts, serverError } from './client-ports.ts'
import { describeOf } from './describe-run.ts'
import { findHolder } from './find-holder.ts'
import { workersMissing } from './look-for-workers.ts'

/** The result of starting a run with a concurrency key. */
export type KeyedStart =
  /** A worker starts the run. */
  | { readonly kind: 'begun'; readonly lockId: string; readonly executionId: string }
  /** This run has the key, and is open or about to start. */
  | { readonly kind: 'joined'; readonly lockId: string; readonly runId: string }

/**
 * Has a run started by the lock workflow of its concurrency key. Where another run has the key, the policy of the
 * runbook decides: it rejects with `ConcurrencyConflict`, or answers with that run.
 */
export async function startWithConcurrencyKey(
  ports: ClientPorts,
  kept: KeptRun,
  concurrency: Concurrency,
  say: (text: string) => void = () => {},
): Promise<KeyedStart> {
  const { client, taskQueue } = ports
  const { runId, plan } = kept.start
  const { key, limit, onConflict } = concurrency
  const lockIds = lockIdsOf(taskQueue, plan.name, concurrency)
  const [lockId = ''] = lockIds
  const memo: LockMemo = { runId }
  const common = {
    taskQueue,
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    memo: { ...memo },
    staticSummary: lockSummary(plan.name, limit),
  } as const
  for (;;) {
    for (const workflowId of lockIds) {
      try {
        const handle = await client.workflow.start(concurrencyLockType, {
          ...common,
          workflowId,
          args: [kept],
          workflowIdConflictPolicy: 'FAIL',
        })
        return { kind: 'begun', lockId: workflowId, executionId: handle.firstExecutionRunId }
      } catch (thrown) {
        if (!(thrown instanceof WorkflowExecutionAlreadyStartedError)) throw serverError(thrown, ports)
      }
    }
    const holder = await findHolder(ports, lockIds)
    // A lock workflow ended in between.
    if (holder === undefined) continue
    // Started with the same `--id`: it is the same run.
    if (holder.runId === runId && kept.resumedAtMs === undefined) return { kind: 'joined', lockId, runId }
    if (holder.ended === undefined) {
      if (onConflict === 'reject') throw concurrencyConflict(holder.runId, plan.name, key)
      say(joinText(holder.runId, key))
      return { kind: 'joined', lockId, runId: holder.runId }
    }
    // Several callers can see the ended run: the first one takes its place.
    const workflowId = holder.lockId
    const signalArgs: [KeptRun, string] = [kept, holder.ended]
    const { signaledRunId } = await client.workflow
      .signalWithStart(concurrencyLockType, { ...common, workflowId, signal: takePlaceSignal, signalArgs })
      .catch((thrown: unknown) => {
        throw serverError(thrown, ports)
      })
    return { kind: 'begun', lockId: workflowId, executionId: signaledRunId }
  }
}

/** A run that a lock workflow is to start. */
export interface AwaitedRun {
  readonly runId: string
  /** Of the start that is waited for; left out: of any. */
  readonly startToken?: string
  readonly lockId: string
  /** Of the lock workflow; left out: the last one. */
  readonly executionId?: string
  readonly runbook: string
  readonly key: string
  /** The runbook says `skip`: where another run is faster, that one is awaited. */
  readonly joins?: boolean
}

/** The run that a start waited for, or that it joins. */
export interface AwaitedResult {
  readonly runId: string
  readonly found: 'ours' | 'of-another' | 'not-yet'
}

/** A run that was started or joined. It continues without its client. */
export interface StartedRun {
  readonly runId: string
  readonly isJoined: boolean
  /** Set where the run may not exist yet: a worker starts it. */
  readonly awaited?: AwaitedRun
}

/** How long a caller waits. */
export interface AwaitOptions {
  readonly signal?: AbortSignal
  readonly say?: (text: string) => void
  /** The longest wait in milliseconds. */
  readonly mostMs?: number
}

const firstPauseMs = 10
const longestPauseMs = 500
/** Time after which a lack of workers is reported. */
const silenceMs = 2000

/**
 * Resolves once the run exists: `ours` where the lock workflow started it for this caller, else `of-another`.
 * Resolves with `not-yet` when the wait is aborted or has reached `mostMs`. Where another start was faster, it rejects
 * with `ConcurrencyConflict`, or waits for that run.
 */
export async function waitForStart(
  ports: ClientPorts,
  awaited: AwaitedRun,
  { signal, say, mostMs = Number.POSITIVE_INFINITY }: AwaitOptions,
): Promise<AwaitedResult> {
  const startedMs = Date.now()
  let { runId, startToken } = awaited
  let lockExecution: string | undefined = awaited.executionId
  let isSilent = false
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    // In this order: the run of a lock workflow that has ended exists already.
    const lock = await describeOf(ports, awaited.lockId, lockExecution)
    if (lock?.status.name === 'CONTINUED_AS_NEW') lockExecution = undefined
    const isKept = lock?.status.name === 'RUNNING' || lock?.status.name === 'CONTINUED_AS_NEW'
    const { superseded = [], runId: holder = '' } = (lock?.memo ?? {}) as Partial<LockMemo>
    const run = await describeOf(ports, runId)
    if (startToken === undefined && run) return { runId, found: 'of-another' }
    if (startToken !== undefined && (run?.memo as RunMemo | undefined)?.startToken === startToken)
      return { runId, found: 'ours' }
    const isLate = startToken !== undefined && superseded.includes(startToken)
    if (isLate || (!isKept && !run)) {
      // Where it was not told to be late, nothing says that the last holder is open.
      if (!awaited.joins || !isLate) throw concurrencyConflict(holder, awaited.runbook, awaited.key)
      say?.(joinText(holder, awaited.key))
      runId = holder
      startToken = undefined
      continue
    }
    if (!isKept) return { runId, found: 'of-another' }
    const passedMs = Date.now() - startedMs
    if (signal?.aborted || passedMs >= mostMs) return { runId, found: 'not-yet' }
    if (!isSilent && say && passedMs > silenceMs) {
      const missing = await workersMissing(ports.client, ports.taskQueue).catch(() => undefined)
      isSilent = missing !== undefined
      if (missing !== undefined) say(`${missing}; "opsbook worker" starts one, and the run waits for it`)
    }
    await sleep(pauseMs, undefined, signal ? { signal } : {}).catch(() => {})
  }
}
