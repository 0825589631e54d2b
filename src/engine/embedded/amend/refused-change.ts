import { refused } from '../../../core/record/refused.ts'
import type { RunbookError } from '../../../core/run-error.ts'

/** What somebody wants to change about a run does not fit it: the run is as it was. */
export function refusedChange(message: string): RunbookError {
  return refused(`${message}; nothing was changed`)
}
