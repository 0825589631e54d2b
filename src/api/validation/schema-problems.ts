import type { ErrorObject } from 'ajv'
import type { InputProblem } from '../../core/action.ts'
import { isJsonObject, type JsonSchema } from '../../core/json.ts'
import { hint } from '../../core/nearest.ts'
import { schemaSentence, wordsOfJson } from '../../core/schema-sentences.ts'
import { childPath, pointerPath } from './field-path.ts'

/**
 * What Ajv found, in words that never repeat the value, which may be a secret. One problem for each path: the first one
 * is the cause of the others.
 */
export function schemaProblems(errors: readonly ErrorObject[], value: unknown): readonly InputProblem[] {
  const problems = new Map<string, InputProblem>()
  for (const error of errors) {
    const path = problemPath(error, pointerPath(error.instancePath, value))
    if (problems.has(path)) continue
    problems.set(path, { path, message: `${schemaSentence(error, wordsOfJson)}${helpOf(error)}` })
  }
  return [...problems.values()]
}

function problemPath({ keyword, params }: ErrorObject, holder: string): string {
  if (keyword === 'required') return childPath(holder, String(params['missingProperty']))
  return keyword === 'additionalProperties' ? childPath(holder, String(params['additionalProperty'])) : holder
}

/** The nearest name or value, or what a pattern means. */
function helpOf({ keyword, params, schema, parentSchema, data }: ErrorObject): string {
  const { properties, description }: JsonSchema = parentSchema ?? {}
  switch (keyword) {
    case 'additionalProperties':
      return hint(
        String(params['additionalProperty']),
        isJsonObject(properties) ? Object.keys(properties) : [],
      )
    case 'enum':
    case 'knownValues':
      return typeof data === 'string' && Array.isArray(schema) ? hint(data, schema.map(String)) : ''
    case 'pattern':
      return typeof description === 'string' ? ` (${description})` : ''
    default:
      return ''
  }
}
