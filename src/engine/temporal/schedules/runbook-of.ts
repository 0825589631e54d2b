import type { ScheduleDescription } from '@temporalio/client'

/** The runbook whose runs a schedule starts, whether the plan can be read here or not. */
export function runbookOf(id: string, { action }: ScheduleDescription): string {
  const [runbook] = action.searchAttributes?.['OpsbookRunbook'] ?? []
  return typeof runbook === 'string' ? runbook : id
}
