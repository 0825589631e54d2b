import { isJsonObject, isSameJson, type JsonValue } from '../json.ts'
import { quote } from '../text/schema-sentences.ts'
import type { Question } from './question.ts'
import { valueProblem } from './value-problem.ts'

const mostListed = 20

/** What of an answer does not fit the schema and the choices: the field, the value and the choices. */
export function answerProblem(
  { schema, choices = {} }: Pick<Question, 'schema' | 'choices'>,
  value: JsonValue | undefined,
): string | undefined {
  if (schema === undefined || value === undefined) return undefined
  const problem = valueProblem(schema, value)
  if (problem) {
    const [field = ''] = problem.path.split(/[.[]/)
    const listed = Object.hasOwn(choices, field) ? choices[field] : undefined
    const help = listed === undefined ? '' : `; choices: ${choicesText(listed)}`
    return `answer${problem.path === '' ? '' : `.${problem.path}`}: ${problem.message}${help}`
  }
  const fields = isJsonObject(value) ? value : {}
  for (const [field, listed] of Object.entries(choices)) {
    const given = fields[field]
    if (given === undefined) continue
    const items: readonly JsonValue[] = Array.isArray(given) ? given : [given]
    const index = items.findIndex((item) => !listed.some((choice) => isSameJson(choice, item)))
    if (index < 0) continue
    const place = `answer.${field}${Array.isArray(given) ? `[${index}]` : ''}`
    return `${place}: ${quote(items[index])} is none of the choices: ${choicesText(listed)}`
  }
  return undefined
}

/** The choices of a field in one line. */
export function choicesText(choices: readonly JsonValue[]): string {
  if (choices.length === 0) return 'there are none'
  const shown = choices.slice(0, mostListed).map((one) => (typeof one === 'string' ? one : quote(one)))
  const more = choices.length - shown.length
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
