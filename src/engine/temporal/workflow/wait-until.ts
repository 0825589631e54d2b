import { CancellationScope, condition, isCancellation, sleep } from '@temporalio/workflow'

/**
 * Resolves at that time of the workflow, or as soon as `isOver` says so. The timer is taken back with it. Whoever asks
 * may do so while a client is heard, in a scope that the client has cancelled: the wait is none of it.
 */
export async function waitUntil(timeMs: number, isOver: () => boolean): Promise<void> {
  const restMs = timeMs - Date.now()
  if (restMs <= 0 || isOver()) return
  await CancellationScope.nonCancellable(async () => {
    const timer = new CancellationScope()
    const rung = timer
      .run(() => sleep(restMs))
      .catch((thrown: unknown) => {
        if (!isCancellation(thrown)) throw thrown
      })
    await Promise.race([rung, condition(isOver)])
    timer.cancel()
  })
}
