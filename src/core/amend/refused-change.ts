import { refused } from '../record/refused.ts'
import type { RunbookError } from '../run-error.ts'

/** What somebody wants to change about a run does not fit it: the run is as it was. */
export function refusedChange(message: string): RunbookError {
  return refused(`${message}; nothing was changed`)
}
