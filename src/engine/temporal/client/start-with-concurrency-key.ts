import { setTimeout as sleep } from 'node:timers/promises'
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client'
import { type Concurrency, concurrencyConflict } from '../../../core/concurrency-key.ts'
import { lockIdOf } from '../concurrency/lock-id.ts'
import { concurrencyLockType, type KeptRun, type LockMemo, replaceSignal } from '../concurrency/messages.ts'
import { describeOf } from './describe-run.ts'
import { type ClientPorts, serverError } from './talk-to-run.ts'

/** What a start of a run with a concurrency key came to. */
export type AloneStart =
  /** The run begins as soon as a worker looks, or when the one in its place has ended. */
  | { readonly kind: 'begun'; readonly lockId: string; readonly executionId: string }
  /** This one goes on, or is about to begin. */
  | { readonly kind: 'joined'; readonly lockId: string; readonly runId: string }

/**
 * Has a run started by the lock workflow of its concurrency key. Where another run has it, does what the runbook says: rejects
 * with `ConcurrencyConflict`, answers with that run, or has it cancelled for this one.
 */
export async function startWithConcurrencyKey(
  ports: ClientPorts,
  kept: KeptRun,
  { key, onConflict }: Concurrency,
  say: (text: string) => void = () => {},
): Promise<AloneStart> {
  const { client, taskQueue } = ports
  const { runId, plan } = kept.start
  const lockId = lockIdOf(taskQueue, plan.name, key)
  const memo: LockMemo = { runId }
  const common = {
    workflowId: lockId,
    taskQueue,
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    memo: { ...memo },
    staticSummary: `one run of ${plan.name} at a time`,
  } as const
  for (;;) {
    try {
      const handle = await client.workflow.start(concurrencyLockType, {
        ...common,
        args: [kept],
        workflowIdConflictPolicy: 'FAIL',
      })
      return { kind: 'begun', lockId, executionId: handle.firstExecutionRunId }
    } catch (thrown) {
      if (!(thrown instanceof WorkflowExecutionAlreadyStartedError)) throw serverError(thrown, ports)
    }
    const holder = await findHolder(ports, lockId)
    // It has ended in between.
    if (holder === undefined) continue
    // Of the same key of the person: it is the same run.
    if (holder === runId && !kept.isResumed) return { kind: 'joined', lockId, runId }
    const named = JSON.stringify(key)
    if (onConflict === 'reject') throw concurrencyConflict(holder, plan.name, key)
    if (onConflict === 'skip') {
      say(`joins ${holder}, which goes on for the same concurrency key ${named}`)
      return { kind: 'joined', lockId, runId: holder }
    }
    say(`cancels ${holder}, which goes on for the same concurrency key ${named}, and waits for its end`)
    const { signaledRunId } = await client.workflow
      .signalWithStart(concurrencyLockType, { ...common, signal: replaceSignal, signalArgs: [kept] })
      .catch((thrown: unknown) => {
        throw serverError(thrown, ports)
      })
    return { kind: 'begun', lockId, executionId: signaledRunId }
  }
}

/** How long a lock workflow may take to notice that its run has ended. */
const patienceMs = 2000
const lookMs = 20

/** The run that has a concurrency key, as its lock workflow says. Undefined: the lock workflow has ended. */
export async function findHolder(ports: ClientPorts, lockId: string): Promise<string | undefined> {
  for (const endMs = Date.now() + patienceMs; ; await sleep(lookMs)) {
    const lock = await describeOf(ports, lockId)
    if (lock?.status.name !== 'RUNNING') return undefined
    const { runId = '' } = (lock.memo ?? {}) as Partial<LockMemo>
    const run = await describeOf(ports, runId)
    // One that is not there yet is about to begin.
    if (!run || run.status.name === 'RUNNING' || Date.now() > endMs) return runId
  }
}
