import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common'
import {
  ChildWorkflowCancellationType,
  condition,
  getExternalWorkflowHandle,
  ParentClosePolicy,
  startChild,
  WorkflowIdReusePolicy,
  workflowInfo,
} from '@temporalio/workflow'
import {
  type AwaitedLine,
  emptyLine,
  joinLineSignal,
  type LineAnswer,
  type LineState,
  leaveLineSignal,
  lineAnswerSignal,
  lineSummary,
  lineType,
  type RunInLine,
} from '../../concurrency/line.ts'
import { onSignal } from '../handlers.ts'

/** How often a line may end while a run joins it. */
const mostTries = 10

/** Joins the line of a key. Starts its workflow where there is none. */
export async function joinLine(lineId: string, run: RunInLine): Promise<void> {
  for (let tries = 0; tries < mostTries; tries++) {
    if (await isSignalled(lineId, joinLineSignal, run)) return
    try {
      await startChild<(state: LineState) => Promise<void>>(lineType, {
        workflowId: lineId,
        args: [emptyLine],
        workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
        parentClosePolicy: ParentClosePolicy.ABANDON,
        cancellationType: ChildWorkflowCancellationType.ABANDON,
        staticSummary: lineSummary,
      })
    } catch (thrown) {
      if (!(thrown instanceof WorkflowExecutionAlreadyStartedError)) throw thrown
    }
  }
}

/** A run needs its key no more. */
export async function leaveLine(lineId: string, runId: string): Promise<void> {
  await isSignalled(lineId, leaveLineSignal, runId)
}

/** Asks the line of a run that does not wait whether it may begin. Undefined: there is no answer yet. */
export type AskLine = (line: AwaitedLine, runId: string) => Promise<LineAnswer | undefined>

/** A line that does not answer within this time: the run asks again as it begins. */
const answerMs = 30_000

/** Asks lines for runs that this workflow starts. To be called once. */
export function createAskLine(): AskLine {
  const { workflowId: askedBy } = workflowInfo()
  const answers = new Map<string, LineAnswer | undefined>()
  onSignal<[LineAnswer]>(lineAnswerSignal, (answer) => {
    if (answers.has(answer.runId)) answers.set(answer.runId, answer)
  })
  return async ({ lineId, limit }, runId) => {
    answers.set(runId, undefined)
    await joinLine(lineId, { runId, limit, refuses: true, askedBy })
    await condition(() => answers.get(runId) !== undefined, answerMs)
    const answer = answers.get(runId)
    answers.delete(runId)
    return answer
  }
}

/** Sends a signal, or answers with false: there is no such workflow. */
export function isSignalled(workflowId: string, name: string, given: unknown): Promise<boolean> {
  return getExternalWorkflowHandle(workflowId)
    .signal<[unknown]>(name, given)
    .then(
      () => true,
      () => false,
    )
}
