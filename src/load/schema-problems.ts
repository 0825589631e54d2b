import type { ValidateFunction } from 'ajv'
import type { JsonPath } from '../core/json.ts'
import {
  schemaProblems as problemsOf,
  type SchemaProblem,
  type SubjectWords,
  wordsOfYamlFile,
} from '../schema/index.ts'
import { familiarKeys } from './language/other-tools.ts'
import { isUnknownYet, unreadableText } from './yaml/findings.ts'

const ofRunbook: SubjectWords = wordsOfYamlFile({
  whole: 'the runbook',
  missing: (key) => `the runbook needs the key "${key}"`,
  unknown: (key) => `there is no key "${key}" in a runbook`,
})

/** How messages name a value: by its key, or by its position in a list. */
export const nameOf: (path: JsonPath) => string = ofRunbook.nameOf

/**
 * Everything that a schema finds wrong with a value, without what expressions decide later. `name` is how messages name
 * the value; without it, the value is the whole.
 */
export function schemaFindings(
  validate: ValidateFunction,
  value: unknown,
  name: JsonPath = [],
  words: SubjectWords = ofRunbook,
): readonly SchemaProblem[] {
  if (validate(value)) return []
  // The whole is never an expression: nothing would evaluate it. A key that must not be there is wrong with any value.
  const errors = (validate.errors ?? []).filter(
    ({ keyword, instancePath, data }) =>
      keyword === 'false schema' ||
      (data !== unreadableText && (instancePath === '' || typeof data !== 'string' || !isUnknownYet(data))),
  )
  const familiar = (key: string): string | undefined => familiarKeys.get(key)
  return problemsOf(errors, value, { ...words, familiar }, name)
}
