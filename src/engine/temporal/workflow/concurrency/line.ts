import {
  CancellationScope,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  workflowInfo,
} from '@temporalio/workflow'
import {
  holdsSignal,
  joinLineSignal,
  type LineAnswer,
  type LineState,
  leaveLineSignal,
  lineAnswerSignal,
  lineQuery,
  type RunInLine,
} from '../../concurrency/line.ts'
import { followDeployments } from '../follow-deployments.ts'
import { onQuery, onSignal } from '../handlers.ts'

/** A line of more events than this continues as a new execution. */
const mostEvents = 2000
/** More runs than this are refused: the state of the line must fit into one message. */
const mostWaiting = 5000
/** While a run waits, the line asks after this time whether the runs that have the key are open; then less often. */
const firstCheckMs = 5000
const longestCheckMs = 600_000

/**
 * The line for a concurrency key: at most as many runs as the limit allows have the key, and the others get it in the
 * order in which they joined. It holds ids only. A run that was terminated leaves no message, so the line asks while
 * another one waits.
 */
export async function opsbookLine(before: LineState): Promise<void> {
  let holders = [...before.holders]
  let waiting = [...before.waiting]
  let changes = 0
  const checks = createChecks()
  const leave = (runId: string): void => {
    holders = holders.filter((id) => id !== runId)
    waiting = waiting.filter((one) => one.runId !== runId)
    changes++
  }
  onSignal<[RunInLine]>(joinLineSignal, (run) => {
    const { runId } = run
    changes++
    // It was resumed after it had been terminated, and has its place still.
    if (holders.includes(runId)) void answer(runId, {})
    // A run that waits joins again from time to time, in case the line was terminated.
    else if (waiting.some((one) => one.runId === runId)) return
    else if (waiting.length >= mostWaiting) void answer(runId, { refusedAt: mostWaiting })
    else waiting.push(run)
  })
  onSignal<[string]>(leaveLineSignal, leave)
  onQuery<LineState>(lineQuery, () => ({ holders, waiting }))

  const grant = async (): Promise<void> => {
    for (let [next] = waiting; next && holders.length < next.limit; [next] = waiting) {
      const { runId } = next
      waiting = waiting.slice(1)
      holders.push(runId)
      if (!(await answer(runId, {}))) leave(runId)
    }
  }
  const check = async (): Promise<void> => {
    for (const runId of [...holders]) if (await isGone(runId)) leave(runId)
    checks.delay()
  }
  const keep = async (): Promise<void> => {
    for (;;) {
      const seen = changes
      await grant()
      if (holders.length === 0 && waiting.length === 0) return
      if (isLong()) await continueAsNew<typeof opsbookLine>({ holders, waiting })
      const isChanged = (): boolean => changes !== seen
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
  // Cancelling the line has no effect: users cancel runs.
  await CancellationScope.nonCancellable(keep)
}

followDeployments(opsbookLine)

/** The times at which the line asks whether the runs that have the key are open. */
interface Checks {
  leftMs(): number
  /** The next check is in twice the time. */
  delay(): void
  /** The next check is in the shortest time. */
  restart(): void
}

function createChecks(): Checks {
  let afterMs = firstCheckMs
  let nextMs = Date.now() + afterMs
  const setAfter = (ms: number): void => {
    afterMs = ms
    nextMs = Date.now() + ms
  }
  return {
    leftMs: () => nextMs - Date.now(),
    delay: () => setAfter(Math.min(afterMs * 2, longestCheckMs)),
    restart: () => setAfter(firstCheckMs),
  }
}

/** Sends the answer of the line. False: the run does not have it. One that is open joins the line again. */
function answer(runId: string, given: LineAnswer): Promise<boolean> {
  return getExternalWorkflowHandle(runId)
    .signal<[LineAnswer]>(lineAnswerSignal, given)
    .then(
      () => true,
      () => false,
    )
}

/** Whether the run has ended. Any other reason why a signal fails is no proof, and two runs must not have one place. */
function isGone(runId: string): Promise<boolean> {
  return getExternalWorkflowHandle(runId)
    .signal(holdsSignal)
    .then(
      () => false,
      // The SDK has no type for it, only this text.
      (error: unknown) => error instanceof Error && error.message.includes('it was not found'),
    )
}

function isLong(): boolean {
  const { continueAsNewSuggested, historyLength } = workflowInfo()
  return continueAsNewSuggested || historyLength > mostEvents
}
