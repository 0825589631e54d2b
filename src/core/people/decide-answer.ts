import type { Identity } from '../events.ts'
import { canonicalText } from '../json.ts'
import { refused } from '../run-error.ts'
import { recordedTime } from '../times/calendar.ts'
import { answerProblem } from './answer-problem.ts'
import type { Answer, AskedQuestion, Question } from './question.ts'
import { isSamePerson, nameProblem } from './same-person.ts'
import { vouch } from './vouch.ts'

/** An answer before it counts. */
export interface GivenAnswer extends Pick<Answer, 'approved' | 'value' | 'by' | 'comment'> {
  /** The groups of the person by the login. Members of `people.groups` are in the record of the question. */
  readonly groups?: readonly string[]
}

/** What an answer is decided by. Nothing else matters: no clock, and no configuration. */
export interface AnswerCase {
  readonly question: Pick<Question, 'schema' | 'choices' | 'from'> & Pick<AskedQuestion, 'people'>
  /** The answers that count so far: one for each person. */
  readonly answers: readonly Answer[]
  /** Who started the run, triggered it by hand, resumed it with changes or said that a call had succeeded. Events and schedules are no person. */
  readonly starters: readonly Identity[]
  /** Unix time in milliseconds. Left out: there is no deadline. */
  readonly untilMs?: number
  readonly nowMs: number
  readonly given: GivenAnswer
}

/**
 * What an answer does. `refused`: nothing is recorded. `counted`: more people must answer. `settled`: the question is
 * answered by the last of `answers`.
 */
export type AnswerDecision =
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'counted' | 'settled'; readonly answers: readonly Answer[] }

/** An answer that was recorded. */
export interface RecordedAnswer {
  /** The path of the step. */
  readonly step: string
  /** `counted`: more people must answer. */
  readonly kind: 'counted' | 'settled'
  /** Who gave it, as it is recorded. */
  readonly by: Identity
  /** How many people gave this answer. */
  readonly count: number
  /** How many must. */
  readonly needed: number
}

/** The result for the giver of an answer. Throws `InvalidInput` where it did not count. */
export function recordedAnswer(
  question: Pick<Question, 'path' | 'from'>,
  decision: AnswerDecision,
  runId: string,
): RecordedAnswer {
  if (decision.kind === 'refused') throw refused(`${question.path} of ${runId}: ${decision.message}`)
  const { kind, answers } = decision
  const { by } = lastOf(answers)
  return { step: question.path, kind, by, count: countOf(answers), needed: neededFor(question) }
}

/** Decides what an answer to an open question does. Both engines use it, and `test/cases/people` holds its cases. */
export function decideAnswer(unvouched: AnswerCase): AnswerDecision {
  const { question, answers, nowMs } = unvouched
  const given = { ...unvouched.given, ...vouch(question.people ?? {}, unvouched.given) }
  const message = refusal({ ...unvouched, given })
  if (message !== undefined) return { kind: 'refused', message }
  const answer = asAnswer(given, question, nowMs)
  const before = answers.filter(({ by }) => !isSamePerson(by, given.by))
  const counted = [...before, answer]
  const isSettled = !answer.approved || countOf(counted) >= neededFor(question)
  return { kind: isSettled ? 'settled' : 'counted', answers: counted }
}

function lastOf(answers: readonly Answer[]): Answer {
  const last = answers.at(-1)
  if (!last) throw new Error('there is no answer')
  return last
}

/** The answer that settled a question. Undefined: none has. */
export function settlingAnswer({ status, answers }: SettledQuestion): Answer | undefined {
  return status === 'answered' ? answers.at(-1) : undefined
}

interface SettledQuestion {
  readonly status: 'open' | 'answered' | 'expired' | 'withdrawn'
  readonly answers: readonly Answer[]
}

/** How many people must answer. */
export function neededFor({ from }: { readonly from?: Question['from'] | undefined }): number {
  return from?.count ?? 1
}

/** How many people gave the same answer as the last one. */
export function countOf(answers: readonly Answer[]): number {
  const last = answers.at(-1)
  return last === undefined ? 0 : answers.filter((one) => isSame(one, last)).length
}

function refusal(one: AnswerCase): string | undefined {
  const { question, answers, given, starters, untilMs, nowMs } = one
  if (untilMs !== undefined && nowMs >= untilMs)
    return `the time for an answer was over at ${recordedTime(untilMs)}`
  const unfit = wrongKind(one) ?? answerProblem(question, given.value)
  if (unfit !== undefined) return unfit
  const notAllowed = whyNotAllowed(question, given, starters)
  if (notAllowed !== undefined) return notAllowed
  const earlier = answers.find(({ by }) => isSamePerson(by, given.by))
  if (!earlier || !isSame(earlier, given)) return undefined
  return `${given.by.name} gave this answer at ${earlier.at} already: ${countOf(answers)} of ${neededFor(question)}; another person must answer`
}

function wrongKind({ question: { schema }, given: { approved, value } }: AnswerCase): string | undefined {
  if (schema === undefined)
    return value === undefined ? undefined : 'the question is answered with yes or no: use approve or reject'
  return approved && value !== undefined
    ? undefined
    : 'the question asks for values: use answer; cancel ends the run'
}

/** Why the answers of a person do not count, whatever they are. */
export function whyNotAllowed(
  { from, people }: Pick<AskedQuestion, 'from' | 'people'>,
  unvouched: Pick<GivenAnswer, 'by' | 'groups'>,
  starters: readonly Identity[],
): string | undefined {
  if (unvouched.by.source === 'agent') return `${unvouched.by.name} is a program, and people answer`
  if (!from) return undefined
  const given = vouch(people ?? {}, unvouched)
  const { name, verified, source } = given.by
  const unclear = nameProblem(name)
  if (unclear !== undefined) return `${JSON.stringify(name)} may not answer: ${unclear}`
  if (verified !== true)
    return source === 'system-user'
      ? `${name} is the name of a system user, and the question counts verified names only${people ? '; opsbook.yaml can trust it with people: { trust: [system-user] }' : ''}`
      : `the name ${name} is only claimed on the command line, and the question counts verified names only`
  const { groups, 'not-starter': notStarter } = from
  if (groups && !groups.some((group) => given.groups.includes(group)))
    return `${name} is in none of the groups that may answer: ${groups.join(', ')}`
  return notStarter && starters.some((one) => isSamePerson(one, given.by))
    ? `${name} started or changed the run, and may not answer this question`
    : undefined
}

function isSame(one: Pick<Answer, 'approved' | 'value'>, other: Pick<Answer, 'approved' | 'value'>): boolean {
  return (
    one.approved === other.approved && canonicalText(one.value ?? null) === canonicalText(other.value ?? null)
  )
}

function asAnswer(
  { approved, value, by, comment, groups = [] }: GivenAnswer,
  { from }: Pick<Question, 'from'>,
  nowMs: number,
): Answer {
  const counted = (from?.groups ?? []).filter((group) => groups.includes(group))
  return {
    approved,
    ...(value === undefined ? {} : { value }),
    by,
    ...(counted.length === 0 ? {} : { groups: counted }),
    ...(comment === undefined ? {} : { comment }),
    at: recordedTime(nowMs),
  }
}
