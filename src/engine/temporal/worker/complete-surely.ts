import { setTimeout as sleep } from 'node:timers/promises'
import { CompleteAsyncError, type Context } from '@temporalio/activity'
import { ActivityNotFoundError, type AsyncCompletionClient } from '@temporalio/client'
import type { AttemptAnswer } from '../messages.ts'

/** Between two tries, in milliseconds: the first pause, and the longest. */
const firstPauseMs = 100
const longestPauseMs = 2000
/** The server has forgotten the attempt long before. */
const longestMs = 10 * 60_000

/**
 * Tells the server what an attempt came to until it has heard it. The SDK gives an answer up after ten seconds of an
 * outage, and what a write has done would be forgotten.
 */
export async function completeSurely(
  settled: Promise<AttemptAnswer>,
  { info }: Context,
  completion: AsyncCompletionClient,
): Promise<never> {
  const { taskToken } = info
  const told = await settled.then(
    (answer) => () => completion.complete(taskToken, answer),
    (thrown: unknown) => () => completion.fail(taskToken, thrown),
  )
  const endMs = Date.now() + longestMs
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      await told()
      break
    } catch (thrown) {
      // It was heard after all, or nobody waits for it any more.
      if (thrown instanceof ActivityNotFoundError) break
      if (Date.now() > endMs) throw thrown
      await sleep(pauseMs)
    }
  }
  throw new CompleteAsyncError()
}
