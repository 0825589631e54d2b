import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { canonicalText, type JsonObject, type JsonValue } from '../json.ts'
import { refused } from '../record/refused.ts'
import type { QuestionRecord } from '../record/run-record.ts'

/** The same question of one step, asked for one item of a loop or for many. */
export interface QuestionGroup {
  /** The path of the step without positions of items, such as `hosts/ok`. */
  readonly step: string
  /** In the order in which they were asked. */
  readonly questions: readonly QuestionRecord[]
  /** Names these questions as they are, for an answer to all of them: their number and a hash, such as `40-1f0c9a77b2`. */
  readonly shown: string
}

/** The path of a step without the positions of items: `hosts/ok` of `hosts[3]/ok`. */
function withoutItems(path: string): string {
  return path.replaceAll(/\[\d+\]/g, '')
}

/** The open questions of a run, those of one step with the same form of answer together. */
export function groupQuestions(questions: readonly QuestionRecord[]): readonly QuestionGroup[] {
  const groups = new Map<string, QuestionRecord[]>()
  for (const question of questions) {
    if (question.status !== 'open' || question.is_superseded) continue
    const { path, schema, choices, default: fallback, from } = question
    const form = [withoutItems(path), schema, choices, fallback, from].map((one) => one ?? null)
    const key = canonicalText(form as JsonValue)
    groups.set(key, [...(groups.get(key) ?? []), question])
  }
  return [...groups.values()].map((members) => {
    const inOrder = members.toSorted(byTime)
    const [first] = inOrder
    return { step: withoutItems(first?.path ?? ''), questions: inOrder, shown: shownOf(inOrder) }
  })
}

/**
 * The paths of the questions that an approver saw together and answers at once. Questions that were asked since are not
 * among them. Throws `InvalidInput` where one of those that were shown has changed or was answered.
 */
export function chooseShown(
  questions: readonly QuestionRecord[],
  step: string,
  shown: string,
  runId: string,
): readonly string[] {
  const [, digits] = /^([1-9]\d{0,5})-[0-9a-f]{10}$/.exec(shown) ?? []
  if (digits === undefined)
    throw refused(
      `"${shown}" names no questions: it is the word that "opsbook inbox" prints after --all`,
      '"opsbook inbox" lists what is asked now.',
    )
  const groups = groupQuestions(questions)
  for (const { questions: members } of groups) {
    const first = members.slice(0, Number(digits))
    if (isOf(step, first) && shownOf(first) === shown) return first.map(({ path }) => path)
  }
  const open = groups.flatMap((group) => (isOf(step, group.questions) ? group.questions : [])).length
  const now = open === 0 ? 'it asks nothing now' : `it asks ${open} now`
  throw refused(
    `the ${digits} questions of ${step} that were shown have changed or were answered since, so none was answered; ${now}`,
    `"opsbook inbox" lists what ${runId} asks now.`,
  )
}

/** Whether a step is named by its path, with or without positions, or by its id. */
function isOf(step: string, [question]: readonly QuestionRecord[]): boolean {
  if (question === undefined) return false
  const path = withoutItems(question.path)
  return withoutItems(step) === path || step === path.slice(path.lastIndexOf('/') + 1)
}

function byTime(one: QuestionRecord, other: QuestionRecord): number {
  const [first, second] = [one, other].map(({ asked_at, path }) => `${asked_at} ${path}`)
  return (first ?? '') < (second ?? '') ? -1 : 1
}

/** Everything that is shown of a question counts, but for answers that others have given so far. */
function shownOf(questions: readonly QuestionRecord[]): string {
  const asked = questions.map(
    ({ answers: _, answer: __, status: ___, ...rest }) => rest as unknown as JsonObject,
  )
  return `${questions.length}-${bytesToHex(sha256(utf8ToBytes(canonicalText(asked)))).slice(0, 10)}`
}
