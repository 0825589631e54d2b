import type { RunStatus } from '../../../core/events.ts'
import type { Plan } from '../../../core/plan.ts'
import { reopenFailed } from '../../../core/record/reopen-failed.ts'
import type { Carried } from '../carried.ts'
import { openCarriedRecord } from './carried-record.ts'

/** What a run that ended like this takes along when somebody goes on with it. */
export function reopenCarried(plan: Plan, carried: Carried, status: RunStatus): Carried {
  const record = openCarriedRecord(carried)
  if (status === 'failed') reopenFailed(plan, record)
  for (const [path, result] of carried.results) {
    // What was in doubt is heard again, as it has been decided. What was called off for its sake may be wanted now.
    const isOpen = typeof result === 'object' && isOpenAgain(result.status, status)
    if (isOpen) record.reset(path)
  }
  return record.carried()
}

function isOpenAgain(step: string, run: RunStatus): boolean {
  return step === 'unknown' || (step === 'cancelled' && run === 'unknown')
}
