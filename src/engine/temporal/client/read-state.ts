import type { WorkflowHandle } from '@temporalio/client'
import { type RunStateAnswer, stateQuery } from '../messages.ts'

/** Where a run stands, as its workflow says. */
export function readState(handle: WorkflowHandle): Promise<RunStateAnswer> {
  return handle.query<RunStateAnswer>(stateQuery)
}
