import { condition } from '@temporalio/workflow'
import type { RunOutcome } from '../../../../core/interpret.ts'
import { heldText } from '../../../../core/record/index.ts'
import { type AwaitedLine, holdsSignal, type LineAnswer, lineAnswerSignal } from '../../concurrency/line.ts'
import { joinLine, leaveLine } from '../concurrency/join-line.ts'
import { onSignal } from '../handlers.ts'
import type { Drain } from './drain.ts'

/** The place of a run in the line of its concurrency key, as it waits there and leaves. */
export interface LineWait {
  /** The run has to wait: it is shown as queued. */
  isWaiting(): boolean
  /** The run has the key. */
  isMine(): boolean
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
  { lineId, key, limit, refuses, mineUntilMs = 0, isMine }: AwaitedLine,
  drain: Pick<Drain, 'look' | 'isBegun'>,
  isReset: boolean,
): LineWait {
  let answer: LineAnswer | undefined = isMine || Date.now() < mineUntilMs ? { runId } : undefined
  let isWaiting = false
  const run = { runId, limit, ...(refuses ? { refuses } : {}) }
  onSignal<[LineAnswer]>(lineAnswerSignal, (given) => {
    answer ??= given
  })
  // A run that only waits makes no calls, and the signals make its history longer.
  onSignal(holdsSignal, () => drain.look())
  return {
    isWaiting: () => isWaiting,
    isMine: () => answer !== undefined && !isRefused(answer),
    async wait(isOver) {
      // Before a reset it may have left the line.
      if (isReset) answer = undefined
      if (answer) return undefined
      const isDecided = (): boolean => answer !== undefined || isOver()
      await joinLine(lineId, run)
      if (!(await condition(isDecided, atOnceMs))) isWaiting = true
      while (!(await condition(isDecided, againMs))) {
        drain.look()
        if (drain.isBegun()) return { status: 'interrupted', error: waitsOn }
        await joinLine(lineId, run)
      }
      const given = answer as LineAnswer | undefined
      // A run that was cancelled never has the key.
      isWaiting = given === undefined
      if (!given || !isRefused(given)) return undefined
      const { refusedAt, holder } = given
      const message =
        refusedAt === undefined
          ? `${heldText(key)}: ${holder}; nothing was sent`
          : `${refusedAt} runs wait for the concurrency key ${JSON.stringify(key)}, and more may not; nothing was sent`
      return { status: 'failed', error: { code: 'ConcurrencyConflict', message, notSent: true } }
    },
    leave: () => leaveLine(lineId, runId),
  }
}

const waitsOn = { code: 'Interrupted', message: 'the run waits as a new execution' } as const

function isRefused({ refusedAt, holder }: LineAnswer): boolean {
  return refusedAt !== undefined || holder !== undefined
}
