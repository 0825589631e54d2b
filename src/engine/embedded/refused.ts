import { RunbookError } from '../../core/run-error.ts'

/** Somebody asks for what makes no sense: nothing was sent, and nothing was changed. */
export function refused(message: string): RunbookError {
  return new RunbookError('InvalidInput', message, { notSent: true })
}

/** There is no such run, or no database that could hold it. */
export function noRun({
  dataDir,
  runId,
}: {
  readonly dataDir: string
  readonly runId: string
}): RunbookError {
  return refused(`there is no run ${runId} in ${dataDir}`)
}
