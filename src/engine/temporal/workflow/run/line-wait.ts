import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common'
import {
  condition,
  getExternalWorkflowHandle,
  ParentClosePolicy,
  startChild,
  WorkflowIdReusePolicy,
} from '@temporalio/workflow'
import type { RunOutcome } from '../../../../core/interpret.ts'
import {
  type AwaitedLine,
  holdsSignal,
  joinLineSignal,
  type LineAnswer,
  type LineState,
  leaveLineSignal,
  lineAnswerSignal,
  lineType,
  type RunInLine,
} from '../../concurrency/line.ts'
import { onSignal } from '../handlers.ts'
import type { Drain } from './drain.ts'

/** The place of a run in the line of its concurrency key, as it waits there and leaves. */
export interface LineWait {
  /** The run has to wait: it is shown as queued. */
  readonly isWaiting: boolean
  /** The run has the key. */
  readonly isMine: boolean
  /**
   * Resolves when the run has the key, or with its outcome where it is refused, or when `isOver` becomes true. The
   * outcome is `interrupted` where the history has become too long.
   */
  wait(isOver: () => boolean): Promise<RunOutcome | undefined>
  /** The run needs the key no more. */
  leave(): Promise<void>
}

/** The run joins the line again after this time: a user can terminate the line workflow. */
const againMs = 3_600_000
/** A run that has the key within this time was never shown as queued. */
const atOnceMs = 500

export function createLineWait(
  runId: string,
  { lineId, key, limit, isMine }: AwaitedLine,
  drain: () => Pick<Drain, 'check' | 'isBegun'>,
): LineWait {
  let answer: LineAnswer | undefined = isMine ? {} : undefined
  let isWaiting = false
  onSignal<[LineAnswer]>(lineAnswerSignal, (given) => {
    answer ??= given
  })
  const isTooLong = (): boolean => {
    try {
      drain().check()
      return false
    } catch {
      // What waits stops waiting.
      return true
    }
  }
  // A run that only waits makes no calls, and the signals make its history longer.
  onSignal(holdsSignal, () => void isTooLong())
  return {
    get isWaiting() {
      return isWaiting
    },
    get isMine() {
      return answer !== undefined && answer.refusedAt === undefined
    },
    async wait(isOver) {
      if (answer) return undefined
      const isDecided = (): boolean => answer !== undefined || isOver()
      await joinLine(lineId, { runId, limit })
      if (!(await condition(isDecided, atOnceMs))) isWaiting = true
      while (!(await condition(isDecided, againMs))) {
        if (isTooLong()) return { status: 'interrupted', error: waitsOn }
        await joinLine(lineId, { runId, limit })
      }
      const given = answer as LineAnswer | undefined
      // A run that was cancelled never has the key.
      isWaiting = given === undefined
      if (given?.refusedAt === undefined) return undefined
      const message = `${given.refusedAt} runs wait for the concurrency key ${JSON.stringify(key)}, and more may not; nothing was sent`
      return { status: 'failed', error: { code: 'ConcurrencyConflict', message, notSent: true } }
    },
    async leave() {
      await getExternalWorkflowHandle(lineId)
        .signal<[string]>(leaveLineSignal, runId)
        .catch(() => {})
    },
  }
}

const waitsOn = { code: 'Interrupted', message: 'the run waits as a new execution' } as const

/** How often a line may end while a run joins it. */
const mostTries = 10

/** Joins the line of a key. Starts its workflow where there is none. */
async function joinLine(lineId: string, run: RunInLine): Promise<void> {
  for (let tries = 0; tries < mostTries; tries++) {
    const isJoined = await getExternalWorkflowHandle(lineId)
      .signal<[RunInLine]>(joinLineSignal, run)
      .then(
        () => true,
        () => false,
      )
    if (isJoined) return
    try {
      await startChild<(state: LineState) => Promise<void>>(lineType, {
        workflowId: lineId,
        args: [{ holders: [], waiting: [run] }],
        workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
        parentClosePolicy: ParentClosePolicy.ABANDON,
        staticSummary: 'the runs that have a concurrency key or wait for it',
      })
      return
    } catch (thrown) {
      if (!(thrown instanceof WorkflowExecutionAlreadyStartedError)) throw thrown
    }
  }
}
