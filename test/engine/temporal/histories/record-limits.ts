import { setTimeout as sleep } from 'node:timers/promises'
import { openTemporalLimits, type TemporalLimits } from '../../../../src/engine/temporal/index.ts'
import { targetLockId } from '../../../../src/engine/temporal/limits/index.ts'
import type { Stage } from '../support/open-stage.ts'
import { writeHistory } from './write-history.ts'

/** What is written here. */
export const limitHistories: readonly string[] = ['limiter', 'target-lock']

const windows = [{ max: 2, lengthMs: 300 }]

/**
 * Has three processes call at once with one account and one target, so that places and targets are waited
 * for, and writes the histories of what they share: open, as a new version finds them.
 */
export async function recordLimits({ client, taskQueue, settings }: Stage): Promise<readonly string[]> {
  const processes = await Promise.all(Array.from({ length: 3 }, () => openTemporalLimits(settings)))
  const call = async ({ budget }: TemporalLimits): Promise<void> => {
    const lease = await budget.acquire('recorded', windows)
    lease.sent()
    await sleep(5)
    lease.done()
  }
  const use = async ({ targetLocks }: TemporalLimits): Promise<void> => {
    const free = await targetLocks.acquire('target')
    await sleep(5)
    free()
  }
  await Promise.all(processes.flatMap((limits) => [...fourTimes(call, limits), ...fourTimes(use, limits)]))
  const ids = [`opsbook-limits/${taskQueue}/recorded`, targetLockId(taskQueue, 'target')]
  const histories = await Promise.all(ids.map((id) => client.workflow.getHandle(id).fetchHistory()))
  await Promise.all(processes.map((limits) => limits.close()))
  return histories.map((history, index) => writeHistory(limitHistories[index] as string, history))
}

function fourTimes(
  work: (limits: TemporalLimits) => Promise<void>,
  limits: TemporalLimits,
): readonly Promise<void>[] {
  return Array.from({ length: 4 }, () => work(limits))
}
