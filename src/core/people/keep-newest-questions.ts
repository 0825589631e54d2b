import { keepNewestShown } from '../approval/index.ts'
import { type JsonValue, jsonSize } from '../json.ts'
import { keepNewest } from '../keep-newest.ts'
import type { Answer, QuestionRecord } from './question.ts'
import { hashOfQuestion } from './same-question.ts'

/** A question for the record only: its step asks another one now, or asks anew. */
export function asReplaced(question: QuestionRecord): QuestionRecord {
  const { status } = question
  return { ...question, status: status === 'open' ? 'withdrawn' : status, is_superseded: true }
}

const mostBytes = 128 * 1024

/** As much of a message as a list shows. */
const mostLetters = 200

/**
 * Bounds what a record keeps of settled questions: the newest as they were asked, up to 128 KiB in all, and the calls
 * that they covered up to another 128 KiB. Of the others the answers stay, and a hash that names the same question.
 */
export function keepNewestQuestions(oldestFirst: readonly QuestionRecord[]): readonly QuestionRecord[] {
  const isWhole = (one: QuestionRecord): boolean => one.status === 'open' || one.question_hash !== undefined
  const sizeOf = ({ message, choices, default: standard }: QuestionRecord): number =>
    jsonSize([message, choices ?? null, standard ?? null] as JsonValue)
  const shorter = keepNewest(oldestFirst, mostBytes, (one) => (isWhole(one) ? 0 : sizeOf(one)), withoutAsked)
  return keepNewestShown(shorter, ({ status }) => status === 'open')
}

const mostAnswerBytes = 512 * 1024

/**
 * Bounds what a record keeps of answers: the newest values, up to 512 KiB in all, and those that the run can read again.
 * Of the others it stays who answered, and when. `isOpen`: whether the run can reach a path again.
 */
export function keepNewestAnswers(
  oldestFirst: readonly QuestionRecord[],
  isOpen: (path: string) => boolean,
): readonly QuestionRecord[] {
  const isReadAgain = (one: QuestionRecord): boolean => !one.is_superseded && isOpen(one.path)
  return keepNewest(
    oldestFirst,
    mostAnswerBytes,
    ({ answers }) => answers.reduce((sum, { value }) => sum + (value === undefined ? 0 : jsonSize(value)), 0),
    (one) => (isReadAgain(one) ? one : { ...one, answers: one.answers.map(withoutValue) }),
  )
}

function withoutValue(answer: Answer): Answer {
  const { value, ...rest } = answer
  return value === undefined ? answer : { ...rest, is_value_left_out: true }
}

function withoutAsked(question: QuestionRecord): QuestionRecord {
  const { choices: _, default: __, message, ...rest } = question
  const cut = message.length > mostLetters ? `${message.slice(0, mostLetters)}…` : message
  return { ...rest, message: cut, question_hash: hashOfQuestion(question) }
}
