import { type Cancellation, createCancellation } from '../host/cancellation.ts'
import type { StepPlan } from '../plan/plan.ts'
import type { ErrorData } from '../run-error.ts'
import { withoutApprovals } from './approvals.ts'
import type { Frame } from './frame.ts'
import { runSequence } from './sequence.ts'
import type { StepResult } from './step-result.ts'

/** How long clean-up may run once the work around it has been cancelled. */
const longestMs = 5 * 60_000

/**
 * Runs clean-up after steps that ended as `ended`, shielded from what cancelled them. It can make a success a failure
 * and never hides an earlier error. After an unknown outcome it is postponed until the run resumes.
 */
export async function runFinally(
  steps: readonly StepPlan[] | undefined,
  ended: StepResult,
  frame: Frame,
): Promise<StepResult> {
  if (!steps || ended.status === 'unknown') return ended
  const shield = createCancellation(frame.host.abandonment)
  const forget = limitOnceCancelled(frame, shield)
  try {
    const shielded = { ...frame, ...withoutApprovals(frame), cancellation: shield, isCleanUp: true } as const
    const { attempts, failure, keptBytes } = await runSequence(steps, shielded)
    frame.memory.release(keptBytes)
    const whole = { ...ended, attempts: ended.attempts + attempts }
    if (!failure) return whole
    if (ended.status === 'succeeded') return withoutOutputs(whole, failure)
    // A person resolves an unknown outcome, also after another error.
    return failure.status === 'unknown' ? { ...whole, status: 'unknown' } : whole
  } finally {
    forget()
    shield.close()
  }
}

function withoutOutputs({ outputs: _, ...whole }: StepResult, { status, error }: StepResult): StepResult {
  return { ...whole, status, ...(error ? { error } : {}) }
}

/** Clean-up has no time limit until the run is cancelled. */
function limitOnceCancelled(
  { cancellation, host, path }: Frame,
  shield: ReturnType<typeof createCancellation>,
): () => void {
  const over = createCancellation()
  const endLater = async (isOver: Cancellation): Promise<void> => {
    const pause = { path, reason: 'timeout' } as const
    await host.sleepUntil(host.now() + longestMs, pause, isOver).catch(() => over.cancel(done))
    if (!isOver.reason) shield.cancel(tooLong)
  }
  const forget = cancellation.onCancel(() => void endLater(over))
  return () => {
    forget()
    over.cancel(done)
  }
}

const done: ErrorData = { code: 'Cancelled', message: 'the clean-up has ended' }
const tooLong: ErrorData = {
  code: 'Cancelled',
  message: `the clean-up took longer than ${longestMs / 60_000} minutes after the cancellation`,
}
