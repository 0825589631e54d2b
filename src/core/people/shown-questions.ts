import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { grouped } from '../group.ts'
import { canonicalText, type JsonValue } from '../json.ts'
import { withoutPositions } from '../plan/step-address.ts'
import { refused } from '../run-error.ts'
import { chooseQuestion, refusedAsSettled } from './choose-question.ts'
import type { Question, QuestionRecord } from './question.ts'

/** The same question of one step, asked for one item of a loop or for many. */
export interface QuestionGroup {
  /** The path of the step without positions of items, such as `hosts/ok`. */
  readonly step: string
  /** In the order in which they were asked. */
  readonly questions: readonly QuestionRecord[]
  /** Names these questions as they are, for an answer to all of them: their number and a hash, such as `40-1f0c9a77b2`. */
  readonly shown: string
}

/**
 * Names one question as it is shown, for an answer to exactly this. It depends on no time: a workflow that is replayed
 * must find the same word, and the server may correct the times of its history.
 */
export function shownWord(question: Question): string {
  const { path, message, schema, choices, default: standard, from, covers } = question
  const parts = [path, message, schema, choices, standard, from, covers]
  return wordOf(1, parts.map((part) => part ?? null) as JsonValue)
}

/** The open questions of a run, those of one step with the same form of answer together. */
export function groupQuestions(questions: readonly QuestionRecord[]): readonly QuestionGroup[] {
  const open = questions.filter(({ status }) => status === 'open')
  const formOf = ({ path, schema, choices, default: fallback, from }: QuestionRecord): string => {
    const form = [withoutPositions(path), schema, choices, fallback, from].map((one) => one ?? null)
    return canonicalText(form as JsonValue)
  }
  return [...grouped(open.map((one) => [formOf(one), one])).values()].map((members) => {
    const inOrder = members.toSorted(byTime)
    const [first] = inOrder
    return { step: withoutPositions(first?.path ?? ''), questions: inOrder, shown: wordOfAll(inOrder) }
  })
}

/** What an answer names: a step, and the questions of it as they were shown. */
export interface NamedQuestions {
  /** The path of the step, with or without the positions of items, or its id. */
  readonly step: string
  /** The word of one question, or of those that were shown together. Left out: what the step asks now. */
  readonly shown?: string | undefined
}

/**
 * The paths of the open questions that an answer is for. Throws `InvalidInput` where one of those that were shown has
 * changed or was answered since; without their word, where no step or several steps ask.
 */
export function chooseQuestions(
  questions: readonly QuestionRecord[],
  { step, shown }: NamedQuestions,
  runId: string,
): readonly string[] {
  if (shown === undefined) return [chooseQuestion(questions, step, runId)]
  const [, digits] = /^([1-9]\d{0,5})-[0-9a-f]{10}$/.exec(shown) ?? []
  if (digits === undefined)
    throw refused(
      `"${shown}" names no questions: it is the word that "opsbook inbox" prints after --shown`,
      '"opsbook inbox" lists what is asked now.',
    )
  const count = Number(digits)
  const groups = groupQuestions(questions).filter(({ questions: [first] }) => first && isOf(step, first))
  for (const { questions: members } of groups) {
    // Of many questions that are shown together, one can be answered alone.
    const seen = count === 1 ? members.filter((one) => one.shown === shown) : members.slice(0, count)
    if (seen.length === count && wordOfAll(seen) === shown && isNamedBy(step, seen))
      return seen.map(({ path }) => path)
  }
  const settled = questions.find((one) => one.shown === shown && !one.is_superseded && one.status !== 'open')
  if (settled) throw refusedAsSettled(settled, runId)
  const open = groups.reduce((sum, group) => sum + group.questions.length, 0)
  const what =
    count === 1
      ? `the question of ${step} that was shown has changed since, so it was not answered`
      : `the ${digits} questions of ${step} that were shown have changed or were answered since, so none was answered`
  throw refused(
    `${what}; ${open === 0 ? 'it asks nothing now' : `it asks ${open} now`}`,
    `"opsbook inbox" lists what ${runId} asks now.`,
  )
}

/** Whether a step is named by its path, with or without positions, or by its id. */
function isOf(step: string, question: QuestionRecord): boolean {
  const path = withoutPositions(question.path)
  return withoutPositions(step) === path || step === path.slice(path.lastIndexOf('/') + 1)
}

/** The path of one item names no other item. */
function isNamedBy(step: string, seen: readonly QuestionRecord[]): boolean {
  return !step.includes('[') || seen.some(({ path }) => path === step)
}

function byTime(one: QuestionRecord, other: QuestionRecord): number {
  const [first, second] = [one, other].map(({ asked_at, path }) => `${asked_at} ${path}`)
  return (first ?? '') < (second ?? '') ? -1 : 1
}

/** Answers that others have given so far do not count. */
function wordOfAll(questions: readonly QuestionRecord[]): string {
  const words = questions.map(({ shown }) => shown)
  return words.length === 1 ? (words[0] ?? '') : wordOf(words.length, words)
}

/** Names something as it is shown: a number and a hash, such as `1-1f0c9a77b2`. */
export function wordOf(count: number, value: JsonValue): string {
  return `${count}-${bytesToHex(sha256(utf8ToBytes(canonicalText(value)))).slice(0, 10)}`
}
