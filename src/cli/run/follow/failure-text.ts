import type { ErrorData } from '../../../core/run-error.ts'
import { nameWithin } from './places.ts'

/** A failure in a few words, with where inside a step it was: `checks: AccessDenied: no permission`. Raw text. */
export function failureText(
  { code, message, path = '' }: Pick<ErrorData, 'code' | 'message' | 'path'>,
  outer: string,
): string {
  const within = path.startsWith(outer) ? nameWithin(path, outer) : path
  return `${within === '' ? '' : `${within}: `}${code}: ${message}`
}
