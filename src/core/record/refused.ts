import { RunbookError } from '../run-error.ts'

/**
 * Refuses a command that cannot apply: nothing was sent, and nothing was changed. `next` is what the user can do; left
 * out: the message contains it.
 */
export function refused(message: string, next = ''): RunbookError {
  return new RunbookError('InvalidInput', message, { notSent: true, next })
}

/** Refuses a command that does not fit the current state of the run. */
export function refusedAsItStands(message: string, runId: string): RunbookError {
  return refused(message, `"opsbook show ${runId}" says where it stands.`)
}

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
