/** What people are asked, who may answer, and what an answer does: rules without a clock and without configuration. */
export { answerProblem, choicesText } from './answer-problem.ts'
export {
  type AnswerCase,
  type AnswerDecision,
  countOf,
  decideAnswer,
  type GivenAnswer,
  neededFor,
  type RecordedAnswer,
  recordedAnswer,
} from './decide-answer.ts'
export { givenInAdvance } from './given-in-advance.ts'
export type { Answer, AnswerPolicy, Question } from './question.ts'
export { isSameQuestion } from './same-question.ts'
export { type People, vouch } from './vouch.ts'
