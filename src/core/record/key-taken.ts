import type { RunbookError } from '../run-error.ts'
import { refused } from './refused.ts'

/**
 * Somebody starts a run with the key of one that does something else: to join that would be an answer to another
 * question. `runbook`: that of the other run, where it is another one; left out: only its inputs are others.
 */
export function keyTaken(key: string | undefined, runId: string, runbook?: string): RunbookError {
  const what = runbook === undefined ? 'with other inputs' : `of the runbook ${runbook}`
  return refused(`the key ${JSON.stringify(key)} belongs to ${runId}, a run ${what}; choose another one`)
}
