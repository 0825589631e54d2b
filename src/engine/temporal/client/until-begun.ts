import { setTimeout as sleep } from 'node:timers/promises'
import { concurrencyConflict } from '../../../core/concurrency-key.ts'
import type { LockMemo } from '../concurrency/messages.ts'
import type { RunMemo } from '../run-memo.ts'
import { describeOf } from './describe-run.ts'
import { workersMissing } from './look-for-workers.ts'
import type { ClientPorts } from './talk-to-run.ts'

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
}

/** How long somebody waits. */
export interface AwaitOptions {
  readonly signal?: AbortSignal
  readonly say?: (text: string) => void
  /** No longer than so many milliseconds. */
  readonly mostMs?: number
}

const firstPauseMs = 10
const longestPauseMs = 500
/** Silence after which it is looked whether there is any worker. */
const silenceMs = 2000

/**
 * Resolves when a run is there that is started by the lock workflow of its key: `ours`, or one that somebody else has started
 * under the same id; with `not-yet` when nobody wants to wait any longer. Rejects with `ConcurrencyConflict` where
 * another start has taken its place before it began.
 */
export async function untilBegun(
  ports: ClientPorts,
  awaited: AwaitedRun,
  { signal, say, mostMs = Number.POSITIVE_INFINITY }: AwaitOptions,
): Promise<'ours' | 'of-another' | 'not-yet'> {
  const begunMs = Date.now()
  let lockExecution: string | undefined = awaited.executionId
  let isSilent = false
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    // In this order: what the lock workflow has started is there when the lock workflow is gone.
    const lock = await describeOf(ports, awaited.lockId, lockExecution)
    if (lock?.status.name === 'CONTINUED_AS_NEW') lockExecution = undefined
    const isKept = lock?.status.name === 'RUNNING' || lock?.status.name === 'CONTINUED_AS_NEW'
    const { superseded = [], runId: holder = '' } = (lock?.memo ?? {}) as Partial<LockMemo>
    const run = await describeOf(ports, awaited.runId)
    const { startToken } = awaited
    if (startToken === undefined && run) return 'of-another'
    if (startToken !== undefined && (run?.memo as RunMemo | undefined)?.startToken === startToken)
      return 'ours'
    if ((startToken !== undefined && superseded.includes(startToken)) || (!isKept && !run))
      throw concurrencyConflict(holder, awaited.runbook, awaited.key)
    if (!isKept) return 'of-another'
    const passedMs = Date.now() - begunMs
    if (signal?.aborted || passedMs >= mostMs) return 'not-yet'
    if (!isSilent && say && passedMs > silenceMs) {
      const missing = await workersMissing(ports.client, ports.taskQueue).catch(() => undefined)
      isSilent = missing !== undefined
      if (missing !== undefined) say(`${missing}; "opsbook worker" starts one, and the run waits for it`)
    }
    await sleep(pauseMs, undefined, signal ? { signal } : {}).catch(() => {})
  }
}
