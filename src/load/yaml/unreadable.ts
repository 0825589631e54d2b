import { hasExpression } from '../segments.ts'

/**
 * Stands for a value that a finding has been made about already and that nothing can be said of any more. It can be
 * no text of an author, since NUL is refused.
 */
export const unreadable = '\u0000unreadable'

/** Whether a text has no value yet: it holds an expression, or could not be read. */
export function isUndecided(text: string): boolean {
  return text === unreadable || (text.includes('${{') && hasExpression(text))
}
