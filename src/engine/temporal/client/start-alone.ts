import { setTimeout as sleep } from 'node:timers/promises'
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client'
import { type Concurrency, concurrencyConflict } from '../../../core/concurrency-key.ts'
import { keeperIdOf } from '../alone/keeper-id.ts'
import { type KeeperMemo, type KeptRun, keyKeeperType, replaceSignal } from '../alone/messages.ts'
import { describeOf } from './describe-run.ts'
import { type ClientPorts, serverError } from './talk-to-run.ts'

/** What a start of a run with a concurrency key came to. */
export type AloneStart =
  /** The run begins as soon as a worker looks, or when the one in its place has ended. */
  | { readonly kind: 'begun'; readonly keeperId: string; readonly executionId: string }
  /** This one goes on, or is about to begin. */
  | { readonly kind: 'joined'; readonly keeperId: string; readonly runId: string }

/**
 * Has a run started by the keeper of its concurrency key. Where another run has it, does what the runbook says: rejects
 * with `ConcurrencyConflict`, answers with that run, or has it cancelled for this one.
 */
export async function startAlone(
  ports: ClientPorts,
  kept: KeptRun,
  { key, onConflict }: Concurrency,
  say: (text: string) => void = () => {},
): Promise<AloneStart> {
  const { client, taskQueue } = ports
  const { runId, plan } = kept.start
  const keeperId = keeperIdOf(taskQueue, plan.name, key)
  const memo: KeeperMemo = { runId }
  const common = {
    workflowId: keeperId,
    taskQueue,
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    memo: { ...memo },
    staticSummary: `one run of ${plan.name} at a time`,
  } as const
  for (;;) {
    try {
      const handle = await client.workflow.start(keyKeeperType, {
        ...common,
        args: [kept],
        workflowIdConflictPolicy: 'FAIL',
      })
      return { kind: 'begun', keeperId, executionId: handle.firstExecutionRunId }
    } catch (thrown) {
      if (!(thrown instanceof WorkflowExecutionAlreadyStartedError)) throw serverError(thrown, ports)
    }
    const holder = await findHolder(ports, keeperId)
    // It has ended in between.
    if (holder === undefined) continue
    // Of the same key of the person: it is the same run.
    if (holder === runId && !kept.isResumed) return { kind: 'joined', keeperId, runId }
    const named = JSON.stringify(key)
    if (onConflict === 'reject') throw concurrencyConflict(holder, plan.name, key)
    if (onConflict === 'skip') {
      say(`joins ${holder}, which goes on for the same concurrency key ${named}`)
      return { kind: 'joined', keeperId, runId: holder }
    }
    say(`cancels ${holder}, which goes on for the same concurrency key ${named}, and waits for its end`)
    const { signaledRunId } = await client.workflow
      .signalWithStart(keyKeeperType, { ...common, signal: replaceSignal, signalArgs: [kept] })
      .catch((thrown: unknown) => {
        throw serverError(thrown, ports)
      })
    return { kind: 'begun', keeperId, executionId: signaledRunId }
  }
}

/** How long a keeper may take to notice that its run has ended. */
const patienceMs = 2000
const lookMs = 20

/** The run that has a concurrency key, as its keeper says. Undefined: the keeper has ended. */
export async function findHolder(ports: ClientPorts, keeperId: string): Promise<string | undefined> {
  for (const endMs = Date.now() + patienceMs; ; await sleep(lookMs)) {
    const keeper = await describeOf(ports, keeperId)
    if (keeper?.status.name !== 'RUNNING') return undefined
    const { runId = '' } = (keeper.memo ?? {}) as Partial<KeeperMemo>
    const run = await describeOf(ports, runId)
    // One that is not there yet is about to begin.
    if (!run || run.status.name === 'RUNNING' || Date.now() > endMs) return runId
  }
}
