import type { ValidateFunction } from 'ajv'
import type { JsonPath, JsonSchema } from '../../core/json.ts'
import { createInputsAjv } from '../ajv.ts'
import { schemaFindings } from '../schema-problems.ts'
import { findingPlace, type Source } from '../source.ts'

/** Many runbooks say the same of their inputs, and compiling a schema takes longer than reading most files. */
const compiled = new Map<string, ValidateFunction>()
const mostCompiled = 200

/** A default that does not fit would fail every run that relies on it. `path` ends with the key `default`. */
export function checkInputDefault(
  source: Source,
  root: JsonSchema,
  schema: JsonSchema,
  path: JsonPath,
): void {
  const validate = inputValidator(root, schema, path.slice(1, -1))
  for (const problem of schemaFindings(validate, schema['default'], ['default'])) {
    const at = [...path, ...problem.path]
    source.add('WRONG_DEFAULT', findingPlace(at, problem.isAboutKey), problem.message, problem.hint)
  }
}

/** Validates values against the part of the schema of inputs that is at the path. */
export function inputValidator(root: JsonSchema, schema: JsonSchema, path: JsonPath): ValidateFunction {
  const key = JSON.stringify(schema)
  if (key.includes('"$ref"')) return validatorWithin(root, path)
  const known = compiled.get(key)
  if (known) return known
  const validate = createInputsAjv().compile(schema)
  if (compiled.size >= mostCompiled) compiled.clear()
  compiled.set(key, validate)
  return validate
}

/** References lead somewhere else in the whole. */
function validatorWithin(root: JsonSchema, path: JsonPath): ValidateFunction {
  const pointer = path.map((part) => `/${encodeURIComponent(escapePart(String(part)))}`).join('')
  return createInputsAjv()
    .addSchema({ type: 'object', ...root }, 'inputs')
    .compile({ $ref: `inputs#${pointer}` })
}

function escapePart(part: string): string {
  return part.replaceAll('~', '~0').replaceAll('/', '~1')
}
