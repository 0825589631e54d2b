import { createCancellation } from '../host/cancellation.ts'
import type { ErrorData } from '../run-error.ts'
import type { Frame } from './frame.ts'
import type { StepResult } from './step-result.ts'
import { createWorkClock } from './work-clock.ts'

/** A limit of working time, and the failure that exceeding it is. */
export interface TimeLimit {
  readonly limitMs: number
  readonly path: string
  readonly error: ErrorData
}

/**
 * Runs work within a limit of working time, if there is one. Work that the limit cuts off fails with its error; work
 * that ends well in spite of it, as a write does that was on its way, has ended well.
 */
export function runWithin(
  limit: TimeLimit | undefined,
  frame: Frame,
  work: (frame: Frame) => Promise<StepResult>,
): Promise<StepResult> {
  return limit ? runLimited(limit, frame, work) : work(frame)
}

async function runLimited(
  limit: TimeLimit,
  frame: Frame,
  work: (frame: Frame) => Promise<StepResult>,
): Promise<StepResult> {
  const cancellation = createCancellation(frame.cancellation)
  const clock = createWorkClock({
    limitMs: limit.limitMs,
    path: limit.path,
    host: frame.host,
    parent: frame.clock,
    onOver: () => cancellation.cancel(limit.error),
  })
  try {
    const result = await work({ ...frame, cancellation, clock })
    const cause = cancellation.reason ?? (clock.wasOver ? limit.error : undefined)
    const isCutOff = result.status === 'cancelled' && cause === limit.error
    return isCutOff ? { ...result, status: 'failed', error: limit.error } : result
  } finally {
    clock.close()
    cancellation.close()
  }
}
