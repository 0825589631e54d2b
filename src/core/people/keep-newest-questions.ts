import { keepNewestShown } from '../approval/index.ts'
import { type JsonValue, jsonSize } from '../json.ts'
import type { QuestionRecord } from '../record/run-record.ts'
import { hashOfQuestion } from './same-question.ts'

const mostBytes = 128 * 1024

/** As much of a message as a list shows. */
const mostLetters = 200

/**
 * Bounds what a record keeps of settled questions: the newest as they were asked, up to 128 KiB in all, and the calls
 * that they covered up to another 128 KiB. Of the others the answers stay, and a hash that names the same question.
 */
export function keepNewestQuestions(oldestFirst: readonly QuestionRecord[]): readonly QuestionRecord[] {
  let bytesLeft = mostBytes
  const shorter = oldestFirst
    .toReversed()
    .map((one) => {
      if (one.status === 'open' || one.question_hash !== undefined) return one
      const { message, choices = null, default: standard = null } = one
      bytesLeft -= jsonSize([message, choices, standard] as JsonValue)
      return bytesLeft >= 0 ? one : withoutAsked(one)
    })
    .toReversed()
  return keepNewestShown(shorter, ({ status }) => status === 'open')
}

function withoutAsked(question: QuestionRecord): QuestionRecord {
  const { choices: _, default: __, message, ...rest } = question
  const cut = message.length > mostLetters ? `${message.slice(0, mostLetters)}…` : message
  return { ...rest, message: cut, question_hash: hashOfQuestion(question) }
}
