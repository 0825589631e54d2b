import type { Problem } from '../../console/server/index.ts'
import { RunbookError } from '../../core/run-error.ts'
import { CommandError } from '../../project/index.ts'
import { howToGiveInputs, nothingSent } from '../../project/runbooks/index.ts'
import { exitCodeOfError, exitCodes } from '../shared/exit-codes.ts'
import { errorDocument } from '../shared/print-error.ts'

/** The status of codes for which neither 400 nor 500 is exact. */
const statuses: Readonly<Record<string, number>> = {
  RunNotFound: 404,
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
  if (!(error instanceof CommandError) && !RunbookError.is(error)) return undefined
  const exitCode = error instanceof CommandError ? exitCodes[error.kind] : exitCodeOfError(error.code)
  const { code, message, hints } = errorDocument(error, exitCode).error
  const otherwise = exitCode === exitCodes.usage ? 400 : exitCode === exitCodes.environment ? 503 : 500
  return {
    status: statuses[code] ?? otherwise,
    code,
    detail: message.replace(nothingSent, ''),
    hint: hints.filter((hint) => hint !== howToGiveInputs).join('\n'),
  }
}
