import { isJsonObject } from '../json.ts'
import type { Question } from './question.ts'

/** The fields that an answer needs: those that are required, else all. Undefined: the answer is yes or no. */
export function answerFieldsOf({ schema }: Pick<Question, 'schema'>): readonly string[] | undefined {
  if (schema === undefined) return undefined
  const { required, properties } = schema
  if (Array.isArray(required) && required.length > 0) return required.map(String)
  return isJsonObject(properties) ? Object.keys(properties) : []
}

/** A command that answers: its verb, and what follows the run and the step. */
export interface AnswerCommand {
  readonly verb: 'approve' | 'reject' | 'answer'
  readonly more: readonly string[]
}

/**
 * The commands that answer what was shown: `shown` is its word. The values of fields are for the reader to fill in.
 */
export function answerCommands(
  fields: readonly string[] | undefined,
  shown: string,
): readonly AnswerCommand[] {
  const more = ['--shown', shown]
  if (fields !== undefined)
    return [{ verb: 'answer', more: [...more, ...fields.flatMap((field) => ['--set', `${field}=`])] }]
  return [
    { verb: 'approve', more },
    { verb: 'reject', more },
  ]
}
