/** What people are asked, who may answer, and what an answer does: rules without a clock and without configuration. */
export { answerCommands, answerFieldsOf } from './answer-commands.ts'
export { answerProblem, choicesText } from './answer-problem.ts'
export { answeredEvent, isCountedOnly, saidText, withoutComment } from './answered-event.ts'
export { answeredWord, chooseQuestion } from './choose-question.ts'
export {
  type AnswerDecision,
  countOf,
  decideAnswer,
  type GivenAnswer,
  neededFor,
  type RecordedAnswer,
  recordedAnswer,
  settlingAnswer,
  whyNotAllowed,
} from './decide-answer.ts'
export { givenInAdvance } from './given-in-advance.ts'
export { answererText, identityText, longestComment, longestName } from './identity.ts'
export { asReplaced, keepNewestAnswers, keepNewestQuestions } from './keep-newest-questions.ts'
export { policyFindings, policyProblem } from './policy-problem.ts'
export type { Answer, AnswerPolicy, AskedQuestion, People, Question, QuestionRecord } from './question.ts'
export {
  escalationAt,
  leastReminderMs,
  nextReminder,
  readReminders,
  reminderArguments,
} from './reminders.ts'
export { nameProblem } from './same-person.ts'
export { isSameQuestion } from './same-question.ts'
export {
  chooseQuestions,
  groupQuestions,
  type NamedQuestions,
  type QuestionGroup,
  shownWord,
  wordOf,
} from './shown-questions.ts'
export { answerFormats, answerKeywords, valueProblem } from './value-problem.ts'
