import { canonicalText, type JsonValue } from '../json.ts'
import type { Question } from './question.ts'

/** What an answer answers. How long it is waited for is no part of that. */
type Asked = Omit<Question, 'path' | 'timeoutMs'>

/** Whether an answer to one of them is an answer to the other: the message, the schema, the choices and the policy. */
export function isSameQuestion(one: Asked, other: Asked): boolean {
  return textOf(one) === textOf(other)
}

function textOf({ message, schema, choices, from }: Asked): string {
  return canonicalText([message, schema ?? null, choices ?? null, from ?? null] as JsonValue)
}
