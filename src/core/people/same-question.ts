import { canonicalText, type JsonValue } from '../json.ts'
import type { Question } from './question.ts'

/** What an answer answers. How long it is waited for is no part of that. */
type Asked = Omit<Question, 'path' | 'timeoutMs'>

/** Whether an answer to one of them is an answer to the other: the message, the schema, the choices, the policy and the calls. */
export function isSameQuestion(one: Asked, other: Asked): boolean {
  return textOf(one) === textOf(other)
}

function textOf({ message, schema, choices, from, covers }: Asked): string {
  const parts = [message, schema ?? null, choices ?? null, from ?? null, covers?.seal ?? null]
  return canonicalText(parts as JsonValue)
}
