import type { Safety } from '../../../core/action.ts'
import type { Attempted, CallContext } from '../../../core/host.ts'
import { fromJournal } from '../../../core/record/from-journal.ts'
import { actionIn } from './action-in.ts'
import type { AttemptPorts } from './attempt-ports.ts'
import type { KnownAttempt } from './workflow-memory.ts'

/**
 * What an attempt of an execution before this one came to, in its turn. Undefined: it was given up, and is made again
 * where it is wanted again.
 */
export async function hearAgain(
  { path, attempt, action, attempted, place, requestId }: KnownAttempt,
  { cancellation }: CallContext,
  safety: Safety,
  { start, memory, report, index }: AttemptPorts,
): Promise<Attempted | undefined> {
  const isCancelled = attempted.status === 'failed' && attempted.error.code === 'Cancelled'
  if (!isCancelled) {
    await memory.replay.past(attempted.endedAtMs, place)
    memory.replay.heard()
    if (attempted.status === 'succeeded' && start.carried?.isResumed) {
      report(fromJournal({ path, attempt }, requestId, attempted.output, actionIn(index, { path, action })))
    }
    return attempted
  }
  memory.replay.heard()
  await memory.caughtUp
  const isGivenUp = safety === 'read' || attempted.error.notSent === true
  return isGivenUp && !cancellation.reason ? undefined : attempted
}
