import {
  CancellationScope,
  condition,
  defineSignal,
  getExternalWorkflowHandle,
  setHandler,
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
} from '../concurrency/messages.ts'
import { type ScheduledMemo, type ScheduledOrder, scheduledPrefix } from '../schedules/messages.ts'
import { followDeployments } from './follow-deployments.ts'
import { refuseUnreadable } from './refuse-unreadable.ts'
import { startDecided } from './start-decided.ts'
import { startOf } from './start-of.ts'

/** A lock workflow that has gone without a word, such as one that a person has terminated, is noticed after this. */
const presenceMs = 3_600_000

/**
 * One time of a schedule whose runbook has `concurrency`: has its run started by the lock workflow of the key, writes down what
 * came of that, and lasts as long as the run. So the server sees what goes on: what it does about a time that comes
 * meanwhile concerns the run, which is cancelled where this is.
 */
export async function opsbookScheduled(order: ScheduledOrder): Promise<void> {
  refuseUnreadable(order)
  const { alone } = order
  const kept = keptRun(order)
  const over = hearOver()
  let isUnwanted = false
  CancellationScope.current().cancelRequested.catch(() => {
    isUnwanted = true
  })
  const lock = getExternalWorkflowHandle(alone.lockId)
  const outlive = async (): Promise<void> => {
    let isTold = false
    for (;;) {
      await condition(() => over() !== undefined || (isUnwanted && !isTold), presenceMs)
      if (over()) return
      const isToTell: boolean = isUnwanted && !isTold
      const said = isToTell
        ? lock.signal<[string]>(unwantedSignal, kept.start.runId)
        : lock.signal(presenceSignal)
      isTold ||= isToTell
      // A lock workflow that is gone lets the key go, whatever becomes of the run.
      if (!(await isHeard(said))) return
    }
  }
  await CancellationScope.nonCancellable(async () => {
    const refusal = await startDecided(kept, alone)
    if (refusal) return writeDown({ ...refusal, because: 'concurrency' })
    writeDown({ run_id: kept.start.runId })
    await outlive()
    const message = whyNotBegun(over())
    if (message !== undefined) writeDown({ because: 'concurrency', message })
  })
}

followDeployments(opsbookScheduled)

function keptRun({ start: given, listed }: ScheduledOrder): KeptRun {
  const { workflowId } = workflowInfo()
  const start = { ...startOf(given), runId: workflowId.slice(scheduledPrefix.length) }
  const memo = { ...listed.memo, startedFrom: start.startedFrom, startToken: uuid4() }
  return { start, listed: { ...listed, memo }, awaitedBy: workflowId }
}

/** Reads what the lock workflow has said. */
function hearOver(): () => KeptOver | undefined {
  let heard: KeptOver | undefined
  setHandler(defineSignal<[KeptOver]>(overSignal), (told) => {
    heard = told
  })
  return () => heard
}

/** Undefined: it has begun, or its lock workflow is gone without a word. */
function whyNotBegun({ isSuperseded, isUnwanted }: KeptOver = {}): string | undefined {
  if (isSuperseded) return 'another run took its place before it began'
  return isUnwanted ? 'it was cancelled before it began' : undefined
}

function isHeard(said: Promise<void>): Promise<boolean> {
  return said.then(
    () => true,
    () => false,
  )
}

function writeDown(fire: NonNullable<ScheduledMemo['fire']>): void {
  upsertMemo({ fire })
}
