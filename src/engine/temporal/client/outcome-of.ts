import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client'
import { ApplicationFailure, CancelledFailure } from '@temporalio/common'
import type { RunOutcome } from '../../../core/interpret.ts'
import { outcomeMemo } from '../messages.ts'

/** How a run ended: every failure of a run is an outcome. */
export async function outcomeOf(handle: WorkflowHandle): Promise<RunOutcome> {
  try {
    return (await handle.result()) as RunOutcome
  } catch (thrown) {
    const cause = thrown instanceof WorkflowFailedError ? thrown.cause : thrown
    const outcome =
      cause instanceof CancelledFailure
        ? (await handle.describe()).memo?.[outcomeMemo]
        : cause instanceof ApplicationFailure && cause.details?.[0]
    if (outcome) return outcome as RunOutcome
    throw thrown
  }
}
