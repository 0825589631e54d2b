import type { ErrorData } from '../../../core/run-error.ts'
import type { ItemNames } from './item-names.ts'

/** A failure in a few words, with where inside a step it was: `checks: AccessDenied: no permission`. Raw text. */
export function failureText(
  { code, message, path = '' }: Pick<ErrorData, 'code' | 'message' | 'path'>,
  outer: string,
  items: ItemNames,
): string {
  const within = items.label(path, outer)
  return `${within === '' ? '' : `${within}: `}${code}: ${message}`
}
