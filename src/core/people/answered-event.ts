import type { RunEvent } from '../events.ts'
import { countOf, neededFor } from './decide-answer.ts'
import type { Answer, Question } from './question.ts'

/** An event before the sensitive values of a run are known to be hidden in it. */
export function withoutComment(event: RunEvent & { readonly type: 'answered' }): RunEvent {
  const { comment: _, value: __, ...rest } = event
  return rest
}

/** Whether more people must answer after this event. */
export function isCountedOnly({
  approved,
  count = 1,
  needed = 1,
}: RunEvent & { readonly type: 'answered' }): boolean {
  return approved && count < needed
}

/** The event about the last of these answers. */
export function answeredEvent(
  question: Pick<Question, 'path' | 'from'>,
  answers: readonly Answer[],
): RunEvent & { readonly type: 'answered' } {
  const last = answers.at(-1)
  if (!last) throw new Error('there is no answer')
  const { approved, value, by, comment } = last
  const needed = neededFor(question)
  return {
    type: 'answered',
    path: question.path,
    approved,
    ...(value === undefined ? {} : { value }),
    by,
    ...(comment === undefined ? {} : { comment }),
    ...(needed === 1 ? {} : { count: countOf(answers), needed }),
  }
}

/** What an answer says besides yes or no: its values and its comment. Undefined: nothing. */
export function saidText({
  value,
  is_value_left_out,
  comment,
}: Pick<Answer, 'value' | 'is_value_left_out' | 'comment'>): string | undefined {
  const parts = [
    ...(value === undefined ? [] : [JSON.stringify(value)]),
    ...(is_value_left_out ? ['"opsbook logs" has the values'] : []),
    ...(comment === undefined ? [] : [comment]),
  ]
  return parts.length === 0 ? undefined : parts.join(', ')
}
