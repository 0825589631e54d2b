import { setTimeout as sleep } from 'node:timers/promises'
import type { Holder, LockMemo } from '../concurrency/messages.ts'
import type { RunMemo } from '../run-listing.ts'
import type { ClientPorts } from './client-ports.ts'
import { describeOf } from './describe-run.ts'

/** How long a lock workflow may take to notice the end of its run. */
const maxWaitMs = 2000
const lookMs = 20

/**
 * The first of the runs that have these locks, or one that has ended for a while. Undefined: one of the lock workflows
 * has ended.
 */
export async function findHolder(
  ports: ClientPorts,
  lockIds: readonly string[],
): Promise<Holder | undefined> {
  for (const endMs = Date.now() + maxWaitMs; ; await sleep(lookMs)) {
    const holders: Holder[] = []
    for (const lockId of lockIds) {
      const lock = await describeOf(ports, lockId)
      if (lock?.status.name !== 'RUNNING') return undefined
      const { runId = '' } = (lock.memo ?? {}) as Partial<LockMemo>
      const run = await describeOf(ports, runId)
      // A run that does not exist yet is about to start.
      const hasEnded = run !== undefined && run.status.name !== 'RUNNING'
      const { startToken: ended = '' } = (run?.memo ?? {}) as Partial<RunMemo>
      holders.push({ lockId, runId, ...(hasEnded ? { ended } : {}) })
    }
    const free = holders.find(({ ended }) => ended !== undefined)
    if (free === undefined || Date.now() > endMs) return free ?? holders[0]
  }
}
