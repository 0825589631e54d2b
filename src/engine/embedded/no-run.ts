import { refused } from '../../core/record/refused.ts'
import type { RunbookError } from '../../core/run-error.ts'

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
