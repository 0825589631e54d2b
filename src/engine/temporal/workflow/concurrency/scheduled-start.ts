import {
  CancellationScope,
  condition,
  getExternalWorkflowHandle,
  upsertMemo,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow'
import {
  type KeptOver,
  type KeptRun,
  overSignal,
  presenceSignal,
  unwantedSignal,
} from '../../concurrency/messages.ts'
import { type ScheduledMemo, type ScheduledOrder, scheduledPrefix } from '../../schedules/messages.ts'
import { followDeployments } from '../follow-deployments.ts'
import { onSignal } from '../handlers.ts'
import { refuseUnreadable, startOf } from '../require-readable.ts'
import { startDecided, whyNotBegun } from './start-decided.ts'

/** The interval at which the workflow checks that the lock workflow is open: a user can terminate it. */
const presenceMs = 3_600_000

/**
 * One time of a schedule whose runbook has `concurrency`. Starts the run through the lock workflow of the key, records
 * the result, and lasts as long as the run. So the overlap policy of the server applies to the run: when the server
 * cancels this workflow, the run is cancelled.
 */
export async function opsbookScheduled(order: ScheduledOrder): Promise<void> {
  refuseUnreadable(order)
  const { concurrencyOrder } = order
  const kept = keptRun(order)
  const over = receiveOver()
  let isUnwanted = false
  CancellationScope.current().cancelRequested.catch(() => {
    isUnwanted = true
  })
  const outlive = async (lockId: string): Promise<void> => {
    const lock = getExternalWorkflowHandle(lockId)
    let isSignalled = false
    for (;;) {
      await condition(() => over() !== undefined || (isUnwanted && !isSignalled), presenceMs)
      if (over()) return
      const isToSignal: boolean = isUnwanted && !isSignalled
      const sent = isToSignal
        ? lock.signal<[string]>(unwantedSignal, kept.start.runId)
        : lock.signal(presenceSignal)
      isSignalled ||= isToSignal
      // Without its lock workflow the key is free, also when the run is still open.
      if (!(await isReceived(sent))) return
    }
  }
  await CancellationScope.nonCancellable(async () => {
    const { refusal, lockId = concurrencyOrder.lockId } = await startDecided(kept, concurrencyOrder)
    if (refusal) return recordFire({ ...refusal, because: 'concurrency' })
    recordFire({ run_id: kept.start.runId })
    await outlive(lockId)
    const received = over()
    const notBegun = received && whyNotBegun(received)
    if (notBegun) recordFire({ ...notBegun, because: 'concurrency' })
  })
}

followDeployments(opsbookScheduled)

function keptRun({ start: given, listed }: ScheduledOrder): KeptRun {
  const { workflowId } = workflowInfo()
  const start = { ...startOf(given), runId: workflowId.slice(scheduledPrefix.length) }
  const memo = { ...listed.memo, startedFrom: start.startedFrom, startToken: uuid4() }
  return { start, listed: { ...listed, memo }, awaitedBy: workflowId }
}

/** Receives {@link overSignal}. */
function receiveOver(): () => KeptOver | undefined {
  let received: KeptOver | undefined
  onSignal<[KeptOver]>(overSignal, (over) => {
    received = over
  })
  return () => received
}

function isReceived(sent: Promise<void>): Promise<boolean> {
  return sent.then(
    () => true,
    () => false,
  )
}

function recordFire(fire: NonNullable<ScheduledMemo['fire']>): void {
  upsertMemo({ fire })
}
