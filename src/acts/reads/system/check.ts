import { errorRule } from '../../../core/errors.ts'
import { type ErrorData, RunbookError } from '../../../core/run-error.ts'
import type { Check } from '../../../documents/index.ts'
import { CommandError } from '../../../project/index.ts'

/** A check with its result. `hints`: what to do; warnings are hints, too. */
export function check(
  name: string,
  status: Check['status'],
  message: string,
  ...hints: readonly string[]
): Check {
  return { name, status, message, ...(hints.length === 0 ? {} : { hints }) }
}

/** A check that has passed, but for warnings. */
export function passed(name: string, message: string, warnings: readonly string[] = []): Check {
  return check(name, warnings.length > 0 ? 'warn' : 'ok', message, ...warnings)
}

/** A failed check, from the error that showed it. */
export function failedCheck(name: string, error: unknown): Check {
  if (error instanceof CommandError) {
    const details = error.details?.replaceAll(/\n\s*/g, '; ')
    const message = details === undefined ? error.message : `${error.message}: ${details}`
    return check(name, 'fail', message, ...error.hints)
  }
  if (RunbookError.is(error)) return failedCall(name, error)
  return check(name, 'fail', error instanceof Error ? error.message : String(error))
}

/** The same, from the failure of a call. `next`: what to do about it, if not what the table of errors says. */
export function failedCall(
  name: string,
  {
    code,
    message,
    next = errorRule(code).next,
  }: Pick<ErrorData, 'code' | 'message'> & { readonly next?: string | undefined },
): Check {
  return check(name, 'fail', `${code}: ${message}`, ...(next === '' ? [] : [next]))
}

/** A failed check as a warning, where `why` says that nothing here needs what is missing. */
export function unlessUnneeded(failed: Check, why: string | undefined): Check {
  return why === undefined ? failed : { ...failed, status: 'warn', message: `${failed.message}: ${why}` }
}
