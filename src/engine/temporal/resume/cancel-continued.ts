import type { Plan } from '../../../core/plan/index.ts'
import { type ControlRequest, leftUnresolved } from '../../../core/record/index.ts'
import { recordedTime } from '../../../core/times/index.ts'
import type { ContinuedAttempt, ContinuedState } from '../continued-state.ts'
import { findUnresolvedCalls } from './decide-continued.ts'

/**
 * The continued state of a run that no worker executes, and that is to be cancelled: it makes no new calls but those of
 * its clean-up. Of a run that needs a decision, the unknown outcomes stay unknown.
 */
export function cancelContinued(
  plan: Plan,
  status: string,
  continued: ContinuedState,
  controlRequest: ControlRequest,
  nowMs: number,
): ContinuedState {
  const at = recordedTime(nowMs)
  const unresolved = status === 'unknown' ? findUnresolvedCalls(plan, continued) : []
  const leave = (one: ContinuedAttempt): ContinuedAttempt => {
    const call = unresolved.find(({ path, attempt }) => path === one.path && attempt === one.attempt)
    if (!call) return one
    return { ...one, attempted: { ...one.attempted, status: 'failed', error: leftUnresolved(call) } }
  }
  const { by } = controlRequest
  return {
    ...continued,
    attempts: continued.attempts.map(leave),
    decisions: [
      ...continued.decisions,
      ...unresolved.map(({ path, error }) => ({
        path,
        decision: 'cancelled' as const,
        by,
        at,
        ...(error ? { error } : {}),
      })),
    ],
    control_requests: [
      // A second cancellation would skip the clean-up.
      ...continued.control_requests.map((one) =>
        one.kind.startsWith('cancel') && one.over_at === undefined ? { ...one, over_at: at } : one,
      ),
      { ...controlRequest, at, taken_at: at, after: continued.attempts.length },
    ],
  }
}
