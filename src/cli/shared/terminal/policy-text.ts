import { type Answer, type AnswerPolicy, countOf } from '../../../core/people/index.ts'

/**
 * Who may answer a question and how many have, such as `from leads: 1 of 2 answers`. `answers`: those of each question
 * that is shown together, one by default.
 */
export function policyText(policy: AnswerPolicy, ...answers: readonly (readonly Answer[])[]): string {
  const { count = 1 } = policy
  const counts = answers.map((given) => countOf(given))
  const [least, most] = [Math.min(...counts), Math.max(...counts)]
  const given = least === most ? `${most}` : `${least} to ${most}`
  return `${whoText(policy)}: ${given} of ${count} ${count === 1 ? 'answer' : 'answers'}`
}

/** Who may answer a question and how many must, such as `from leads: 2 people must answer`. */
export function neededText(policy: AnswerPolicy): string {
  const { count = 1 } = policy
  return count === 1 ? whoText(policy) : `${whoText(policy)}: ${count} people must answer`
}

function whoText({ groups, 'not-starter': notStarter }: AnswerPolicy): string {
  const who = groups === undefined ? 'anyone with a verified name' : groups.join(' or ')
  return `from ${who}${notStarter ? ', not who started the run' : ''}`
}
