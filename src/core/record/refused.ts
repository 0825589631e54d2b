import { type RunbookError, refused, refusedAsItStands } from '../run-error.ts'

/** Throws where a run has ended so that nothing of it can be resumed. */
export function refuseEnded(runId: string, status: string): void {
  if (status === 'cancelled') throw refused(`${runId} was cancelled: start it anew`)
  if (status !== 'succeeded') return
  throw refused(`${runId} has succeeded: nothing is left to do`, 'To do it once more, start another run.')
}

/** Refuses a command for a run that has ended. */
export function refusedAsOver(runId: string, status: string): RunbookError {
  const verb =
    status === 'cancelled' ? 'was' : status === 'unknown' || status === 'interrupted' ? 'is' : 'has'
  return refusedAsItStands(`${runId} has ended: it ${verb} ${status}`, runId)
}
