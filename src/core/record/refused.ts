import { RunbookError } from '../run-error.ts'

/**
 * Somebody asks for what makes no sense: nothing was sent, and nothing was changed. `next` is what they can do; left
 * out: the message says it all.
 */
export function refused(message: string, next = ''): RunbookError {
  return new RunbookError('InvalidInput', message, { notSent: true, next })
}

/** The run is not where somebody thinks it is. */
export function refusedAsItStands(message: string, runId: string): RunbookError {
  return refused(message, `"opsbook show ${runId}" says where it stands.`)
}

/** The run is over: nobody can say anything to it any more. */
export function refusedAsOver(runId: string, status: string): RunbookError {
  return refusedAsItStands(
    `${runId} has ended: it ${status === 'cancelled' ? 'was' : 'has'} ${status}`,
    runId,
  )
}
