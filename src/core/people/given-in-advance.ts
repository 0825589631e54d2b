import type { Identity } from '../events.ts'
import type { GivenAnswer } from './decide-answer.ts'
import type { Question } from './question.ts'

/**
 * The answer of a person who approved all questions before the run (`--yes`): yes, or the default. None where the
 * question says who may answer, since that person has not read it.
 */
export function givenInAdvance(question: Question, by: Identity): GivenAnswer | undefined {
  if (question.from) return undefined
  if (question.schema === undefined)
    return { approved: true, by, comment: 'approved in advance, for the whole run' }
  return question.default === undefined
    ? undefined
    : { approved: true, value: question.default, by, comment: 'the default, taken in advance' }
}
