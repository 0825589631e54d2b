import { isCancellation, upsertMemo, upsertSearchAttributes } from '@temporalio/workflow'
import type { RunStart } from '../../messages.ts'
import type { RunMemo } from '../../run-listing.ts'
import { createAskLine } from './join-line.ts'
import { askFirst } from './start-decided.ts'

/**
 * The start of a run at a time of its schedule, where its runbook has `concurrency` and does not wait. Undefined: the time
 * starts no run, and the memo says why. The server lists the run from here on: before, it is open whether there is one.
 */
export async function startOfTime(start: RunStart): Promise<RunStart | undefined> {
  const asked = await askFirst(start, createAskLine()).catch((thrown: unknown) => {
    if (!isCancellation(thrown)) throw thrown
    return { because: 'concurrency', message: 'it was cancelled before it started' } as const
  })
  if ('because' in asked) upsertMemo({ fire: asked } satisfies Pick<RunMemo, 'fire'>)
  else upsertSearchAttributes({ OpsbookStatus: ['running'] })
  return 'because' in asked ? undefined : asked
}
