import { plainJson } from '../../api/plain-json.ts'
import type { JsonValue } from '../../core/json.ts'
import { RunbookError } from '../../core/run-error.ts'
import { isOwnCode } from './own-code.ts'

/** What an action of a project threw, as an error of the run. Nothing that can be thrown makes this throw. */
export function ownError(action: string, thrown: unknown): RunbookError {
  try {
    return convert(action, thrown)
  } catch {
    return new RunbookError('ActionFailed', `${action} threw something that cannot be read`)
  }
}

function convert(action: string, thrown: unknown): RunbookError {
  if (!(thrown instanceof Error) && !isErrorLike(thrown)) {
    return new RunbookError('ActionFailed', `${action} threw ${String(thrown)}`)
  }
  const fields = thrown as Partial<Record<keyof RunbookError, unknown>>
  const { message, code, retryAfterMs, requestId, notSent, details } = fields
  return new RunbookError(isOwnCode(code) ? code : 'ActionFailed', String(message) || `${action} failed`, {
    cause: thrown,
    ...(typeof retryAfterMs === 'number' && retryAfterMs >= 0 ? { retryAfterMs } : {}),
    ...(typeof requestId === 'string' ? { requestId } : {}),
    ...(notSent === true ? { notSent } : {}),
    ...(details === undefined ? {} : plainDetails(details)),
  })
}

/** An error of another realm, such as one of a test runner. */
function isErrorLike(thrown: unknown): boolean {
  return typeof thrown === 'object' && thrown !== null && 'message' in thrown
}

function plainDetails(details: unknown): { readonly details?: JsonValue } {
  const { value, problems } = plainJson(details)
  return problems.length === 0 ? { details: value } : {}
}
