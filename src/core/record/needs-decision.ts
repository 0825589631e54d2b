import { RunbookError } from '../run-error.ts'

/** A person must say first what became of a write. */
export function needsDecision(runId: string, path: string): RunbookError {
  const message = `${runId} needs a decision first: nobody knows whether ${path} was carried out`
  return new RunbookError('OutcomeUnknown', message, { notSent: true })
}
