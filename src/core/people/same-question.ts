import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { canonicalText, type JsonValue } from '../json.ts'
import type { Question } from './question.ts'

/** What an answer answers. How long it is waited for is no part of that. */
interface Asked extends Omit<Question, 'path' | 'timeoutMs'> {
  /** Names it where the record keeps less of it. */
  readonly question_hash?: string
}

/** Whether an answer to one of them is an answer to the other: the message, the schema, the choices, the policy and the calls. */
export function isSameQuestion(one: Asked, other: Asked): boolean {
  if (one.question_hash === undefined && other.question_hash === undefined)
    return textOf(one) === textOf(other)
  return hashOfQuestion(one) === hashOfQuestion(other)
}

/** Equal for two questions with the same answer, in hex. */
export function hashOfQuestion(question: Asked): string {
  return question.question_hash ?? bytesToHex(sha256(utf8ToBytes(textOf(question))))
}

function textOf({ message, schema, choices, from, covers }: Asked): string {
  const parts = [message, schema ?? null, choices ?? null, from ?? null, covers?.seal ?? null]
  return canonicalText(parts as JsonValue)
}
