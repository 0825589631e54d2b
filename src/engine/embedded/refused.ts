import { RunbookError } from '../../core/run-error.ts'

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

/** There is no such run, or no database that could hold it. */
export function noRun({
  dataDir,
  runId,
}: {
  readonly dataDir: string
  readonly runId: string
}): RunbookError {
  return refused(
    `there is no run ${runId} in ${dataDir}`,
    '"opsbook runs" lists those that are there; --data-dir names another folder.',
  )
}
