import type { ErrorObject } from 'ajv'
import type { InputProblem } from '../../core/action.ts'
import { wordsOfJson } from '../../core/text/index.ts'
import { schemaProblems as problemsOf, type SubjectWords } from '../../schema/index.ts'
import { childPath } from './field-path.ts'

/** The path of a problem names its value. */
const words: SubjectWords = {
  ...wordsOfJson,
  nameOf: () => '',
  missing: () => 'is required',
  unknown: () => 'is not a known field',
}

/** What Ajv found, in words that never repeat the value, which may be a secret. */
export function apiProblems(errors: readonly ErrorObject[], value: unknown): readonly InputProblem[] {
  return problemsOf(errors, value, words).map(({ code, path, name, message, hint }) => ({
    path: [...path, ...(code === 'MISSING_KEY' ? [name ?? ''] : [])].reduce<string>(childPath, ''),
    message: hint === undefined ? message : `${message}; ${hint}`,
  }))
}
