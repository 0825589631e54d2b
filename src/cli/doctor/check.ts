import { errorRule } from '../../core/errors.ts'
import { RunbookError } from '../../core/run-error.ts'
import { CommandError } from '../command-error.ts'

/** What one check came to. */
export interface Check {
  readonly name: string
  readonly status: 'ok' | 'warn' | 'fail'
  readonly message: string
  /** It concerns runs, and nothing of the environment. */
  readonly isOfRuns?: true
  /** What to do. */
  readonly hints?: readonly string[]
}

/** A failed check, from the error that showed it. */
export function failedCheck(name: string, error: unknown): Check {
  if (error instanceof CommandError) {
    const message = error.details === undefined ? error.message : `${error.message}: ${error.details}`
    return { name, status: 'fail', message, hints: error.hints }
  }
  if (RunbookError.is(error)) {
    const message = `${error.code}: ${error.message}`
    return { name, status: 'fail', message, hints: [error.next ?? errorRule(error.code).next] }
  }
  return { name, status: 'fail', message: error instanceof Error ? error.message : String(error) }
}
