import { apiProblems } from '../api/validation/index.ts'
import type { ActionDescription, InputProblem } from '../core/action.ts'
import type { JsonObject, JsonSchema } from '../core/json.ts'
import { compileSchema } from './custom/compile-schema.ts'

/**
 * The values of a wrong type in outputs that a user gives in place of an answer. A value that is not given is accepted,
 * and so is null for one that is not among `needed`. Unknown names are accepted.
 */
export function givenOutputProblems(
  { output }: Pick<ActionDescription, 'output'>,
  outputs: JsonObject,
  needed: readonly string[],
): readonly InputProblem[] {
  const validate = compile({ ...output, required: [], additionalProperties: true })
  if (validate === undefined || validate(outputs)) return []
  const errors = validate.errors ?? []
  // Which alternative is meant cannot be said of a value that is not whole.
  const isWhole = errors.every(({ keyword }) => keyword !== 'required')
  const wrong = errors.filter(
    ({ keyword, schemaPath, instancePath, data }) =>
      keyword !== 'required' &&
      (isWhole || !/\/(?:anyOf|oneOf|not|if|then|else)\b/.test(schemaPath)) &&
      (data !== null || needed.some((name) => `${instancePath}/`.startsWith(`/${name}/`))),
  )
  return apiProblems(wrong, outputs)
}

/** Undefined: no schema. An OpenAPI document can hold one that is not sound, and no answer is checked against it. */
function compile(schema: JsonSchema): ReturnType<typeof compileSchema> | undefined {
  try {
    return compileSchema(schema)
  } catch {
    return undefined
  }
}
