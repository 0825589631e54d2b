import type { RunbookError } from '../run-error.ts'
import { identityText } from './identity.ts'
import { refused } from './refused.ts'
import type { DecisionRecord } from './run-history.ts'

/** A decision cannot be taken back any more: what followed from it cannot be undone. `step` is the id of the step. */
export function goneOn(
  runId: string,
  status: string,
  { path, decision, by, at }: DecisionRecord,
  step: string,
): RunbookError {
  const was = `${path} of ${runId} was decided as ${decision} by ${identityText(by)} at ${at}`
  if (status === 'succeeded' || status === 'cancelled') {
    const ended = `it ${status === 'cancelled' ? 'was' : 'has'} ${status}`
    return refused(`${was}, and the run has ended since: ${ended}`)
  }
  const instead = `"opsbook resume ${runId} --repeat ${step}" makes the call again, "--keep ${step}" goes on with what it came to`
  return refused(`${was}, and the run has gone on from that: it cannot be decided again; ${instead}`)
}
