import { type JsonSchema, type JsonValue, withoutUndefined } from '../json.ts'
import { answerProblem } from '../people/answer-problem.ts'
import type { Answer, Question } from '../people/question.ts'
import { RunbookError } from '../run-error.ts'
import type { BuiltinStep } from './run-builtin.ts'
import type { StepResult } from './step-result.ts'
import { givenBy, questionOf, waitForAnswers } from './wait-for-answers.ts'

/** Asks people for values, and waits for them. The time is not working time. */
export const ask: BuiltinStep = async (call) => {
  const { input, path } = call
  const choices = input['choices'] as Question['choices'] | undefined
  const schema = { additionalProperties: false, ...(input['answer'] as JsonSchema) }
  if (choices) requireChoices(choices, schema, path)
  const standard = input['default']
  const question = {
    ...questionOf(call),
    schema,
    ...withoutUndefined({ choices, default: standard }),
  }
  if (standard !== undefined) requireDefault(question, standard, path)
  const isDefault = input['on-timeout'] === 'default'
  return waitForAnswers(call, 'answer', question, {
    settle: settleAnswer,
    late: 'AskTimeout',
    inPlace: isDefault && standard !== undefined ? { approved: true, value: standard } : undefined,
  })
}

function settleAnswer(answers: readonly Answer[]): StepResult {
  const list = answers.map((one) => ({ answer: one.value ?? null, ...givenBy(one) }))
  return { status: 'succeeded', attempts: 0, outputs: { ...list.at(-1), answers: list } }
}

/** More than a person can look through, and the record keeps them all. */
const mostChoices = 1000

/** Refuses choices that no answer can be made of. */
function requireChoices(choices: NonNullable<Question['choices']>, schema: JsonSchema, path: string): void {
  const required = (schema['required'] ?? []) as readonly JsonValue[]
  for (const [field, listed] of Object.entries(choices)) {
    const place = `choices.${field}`
    const unfit = listed.find((one) => typeof one !== 'string' && typeof one !== 'number')
    if (unfit !== undefined)
      throw wrong(`${place} takes texts and numbers, not ${JSON.stringify(unfit)}`, path)
    if (listed.length > mostChoices)
      throw wrong(`${place} has ${listed.length} choices; at most ${mostChoices} are shown`, path)
    if (listed.length === 0 && required.includes(field))
      throw wrong(`${place} is empty and the answer requires "${field}": there is no answer to give`, path)
  }
}

function requireDefault(question: Question, standard: JsonValue, path: string): void {
  const problem = answerProblem(question, standard)
  if (problem !== undefined) throw wrong(problem.replace(/^answer/, 'default'), path)
}

function wrong(message: string, path: string): RunbookError {
  return new RunbookError('InvalidInput', `core/ask: ${message}`, { path, notSent: true })
}
