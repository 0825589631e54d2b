import type { AnswerPolicy } from '../../../core/people/index.ts'

/** Who may answer a question, as a sentence. */
export function answerPolicyText({ groups, count = 1, 'not-starter': isOther }: AnswerPolicy): string {
  const who = groups === undefined ? '' : ` of ${groups.join(' or ')}`
  const people = count === 1 ? `One person${who}` : `${count} people${who}`
  return `${people} must answer${isOther === true ? ', and not the person who started the run' : ''}.`
}
