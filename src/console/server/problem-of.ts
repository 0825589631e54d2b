import { Outdated } from '../../acts/index.ts'
import { RunbookError } from '../../core/run-error.ts'
import { errorFacts, kindOfError } from '../../project/errors/index.ts'
import { CommandError } from '../../project/index.ts'
import { howToGiveInputs, nothingSent } from '../../project/runbooks/index.ts'
import type { Problem } from './problem.ts'

/** The status of codes for which neither 400 nor 500 is exact. */
const statuses: Readonly<Record<string, number>> = {
  RunNotFound: 404,
  StepNotFound: 404,
  RunbookNotFound: 404,
  ActionNotFound: 404,
  EventNotFound: 404,
  ScheduleNotFound: 404,
  RunInUse: 409,
  ConcurrencyConflict: 409,
  OutcomeUnknown: 409,
}

/** An error of a command as a problem, with its code and hints. Undefined: a defect. */
export function problemOf(error: unknown): Problem | undefined {
  if (error instanceof Outdated) {
    const { code, message: detail, next: hint = '', now: more } = error
    return { status: 409, code, detail, hint, more }
  }
  if (!(error instanceof CommandError) && !RunbookError.is(error)) return undefined
  const kind = error instanceof CommandError ? error.kind : kindOfError(error.code)
  const { code, message, hints } = errorFacts(error)
  const otherwise = kind === 'usage' ? 400 : kind === 'environment' ? 503 : 500
  return {
    status: statuses[code] ?? otherwise,
    code,
    detail: message.replace(nothingSent, ''),
    hint: hints.filter((hint) => hint !== howToGiveInputs).join('\n'),
  }
}
