import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
} from '@temporalio/workflow'
import {
  holdsSignal,
  joinLineSignal,
  type LineAnswer,
  type LineHolder,
  type LineState,
  leaveLineSignal,
  lineAnswerSignal,
  lineQuery,
  mayBeginUpdate,
  type RunInLine,
} from '../../concurrency/line.ts'
import { followDeployments, hasLongHistory } from '../follow-deployments.ts'
import { onQuery, onSignal, onUpdate } from '../handlers.ts'
import { isSignalled } from './join-line.ts'

/** A line of more events than this continues as a new execution. */
const mostEvents = 2000
/** More runs than this are refused: the state of the line must fit into one message. */
const mostWaiting = 5000
/** While a run waits, the line asks after this time whether the runs that have the key are open; then less often. */
const firstCheckMs = 5000
const longestCheckMs = 600_000
/** Before the line refuses a run it asks, too, unless it has asked within this time. */
const knownForMs = 5000
/** A run that may begin is to exist within this time. */
const startWithinMs = 3000
/** For the clocks of servers, which differ. */
const spareMs = 2000
/** A line that was started to be asked is asked within this time. */
const askedWithinMs = 1000

/**
 * The line for a concurrency key: at most as many runs as the limit allows have the key. The others get it in the order
 * in which they joined, or are refused. It holds ids only. A run that was terminated leaves no message, so the line asks
 * while another one needs the key.
 */
export async function opsbookLine(before: LineState): Promise<void> {
  let holders: readonly LineHolder[] = before.holders
  let waiting = [...before.waiting]
  let changes = 0
  let checking: Promise<void> | undefined
  let knownUntilMs = 0
  const checks = createChecks()
  const leave = (runId: string): void => {
    holders = holders.filter((one) => one.runId !== runId)
    waiting = waiting.filter((one) => one.runId !== runId)
    changes++
  }
  const has = (runId: string): boolean => holders.some((one) => one.runId === runId)
  const grant = async (): Promise<void> => {
    for (let [next] = waiting; next && holders.length < next.limit; [next] = waiting) {
      const { runId } = next
      waiting = waiting.slice(1)
      const holder: LineHolder = { runId }
      holders = [...holders, holder]
      // It can have been resumed meanwhile, and has joined anew.
      if (!(await answer(runId, { runId })) && holders.includes(holder)) leave(runId)
    }
  }
  const checkHolders = async (): Promise<void> => {
    for (const holder of holders) {
      const { runId, startsUntilMs = 0 } = holder
      // It can have asked again meanwhile, and has the key anew.
      if (startsUntilMs < Date.now() && (await isGone(runId)) && holders.includes(holder)) leave(runId)
    }
    checks.delay()
    knownUntilMs = Date.now() + knownForMs
  }
  const check = (): Promise<void> => {
    checking ??= checkHolders().finally(() => {
      checking = undefined
    })
    return checking
  }
  const mayBegin = async ({ runId, limit }: RunInLine): Promise<LineAnswer> => {
    changes++
    if (!has(runId) && holders.length >= limit && (checking || Date.now() > knownUntilMs)) await check()
    const [first] = holders
    if (first && !has(runId) && holders.length >= limit) return { runId, holder: first.runId }
    return { runId, mineUntilMs: hold(runId) }
  }
  /** Until when the run is to exist. One that has the key already can be about to start anew. */
  const hold = (runId: string): number => {
    const mineUntilMs = Date.now() + startWithinMs
    const others = holders.filter((one) => one.runId !== runId)
    holders = [...others, { runId, startsUntilMs: mineUntilMs + spareMs }]
    return mineUntilMs
  }
  // Messages of the first task are received here, in this order.
  onUpdate<LineAnswer, RunInLine>(mayBeginUpdate, mayBegin)
  onSignal<[RunInLine]>(joinLineSignal, async (run) => {
    const { runId, refuses, askedBy = runId } = run
    changes++
    if (refuses) await answer(askedBy, await mayBegin(run))
    // It was resumed after it had been terminated, and has its place still.
    else if (has(runId)) {
      hold(runId)
      await answer(runId, { runId })
    }
    // A run that waits joins again from time to time, in case the line was terminated.
    else if (waiting.some((one) => one.runId === runId)) return
    else if (waiting.length >= mostWaiting) await answer(runId, { runId, refusedAt: mostWaiting })
    else waiting.push(run)
  })
  onSignal<[string]>(leaveLineSignal, leave)
  onQuery<LineState>(lineQuery, () => ({ holders, waiting }))

  const isEmpty = (): boolean => holders.length === 0 && waiting.length === 0
  const keep = async (): Promise<void> => {
    if (isEmpty()) await condition(() => changes > 0, askedWithinMs)
    for (;;) {
      const seen = changes
      const isChanged = (): boolean => changes !== seen
      await grant()
      if (isEmpty() || hasLongHistory(mostEvents)) {
        await condition(allHandlersFinished)
        if (isChanged()) continue
        if (isEmpty()) return
        await continueAsNew<typeof opsbookLine>({ holders, waiting })
      }
      if (waiting.length === 0) {
        await condition(isChanged)
        checks.restart()
        continue
      }
      // Runs that join do not put the check off.
      const leftMs = checks.leftMs()
      if (leftMs <= 0 || !(await condition(isChanged, leftMs))) await check()
    }
  }
  // Cancelling the line has no effect, nor on what its handlers send: users cancel runs.
  await CancellationScope.nonCancellable(keep)
}

followDeployments(opsbookLine)

/** The times at which the line asks whether the runs that have the key are open. */
function createChecks() {
  let afterMs = firstCheckMs
  let nextMs = Date.now() + afterMs
  const setAfter = (ms: number): void => {
    afterMs = ms
    nextMs = Date.now() + ms
  }
  return {
    leftMs: (): number => nextMs - Date.now(),
    /** The next check is in twice the time. */
    delay: (): void => setAfter(Math.min(afterMs * 2, longestCheckMs)),
    /** The next check is in the shortest time. */
    restart: (): void => setAfter(firstCheckMs),
  }
}

/** Sends the answer of the line. False: the run does not have it. One that is open joins the line again. */
function answer(runId: string, given: LineAnswer): Promise<boolean> {
  return CancellationScope.nonCancellable(() => isSignalled(runId, lineAnswerSignal, given))
}

/** Whether the run has ended. Any other reason why a signal fails is no proof, and two runs must not have one place. */
function isGone(runId: string): Promise<boolean> {
  return CancellationScope.nonCancellable(() =>
    getExternalWorkflowHandle(runId)
      .signal(holdsSignal)
      .then(
        () => false,
        // The SDK has no type for it, only this text.
        (error: unknown) => error instanceof Error && error.message.includes('it was not found'),
      ),
  )
}
