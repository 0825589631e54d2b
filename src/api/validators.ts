import { Ajv, type ValidateFunction } from 'ajv'
import type { JsonSchema } from '../core/json.ts'

let ajv: Ajv | undefined
const validators = new WeakMap<JsonSchema, ValidateFunction>()

/** The validator of a schema of the operations table, compiled when it is first asked for. */
export function validatorOf(schema: JsonSchema): ValidateFunction {
  const known = validators.get(schema)
  if (known) return known
  ajv ??= createAjv()
  const validator = ajv.compile(schema)
  validators.set(schema, validator)
  return validator
}

function createAjv(): Ajv {
  const created = new Ajv({
    allErrors: true,
    // Gives errors the schema they come from, for the names and values it allows.
    verbose: true,
    allowUnionTypes: true,
    logger: false,
    // The schemas are our own: checking them against the schema of schemas only takes time.
    validateSchema: false,
    meta: false,
  })
  created.addKeyword({
    keyword: 'knownValues',
    type: 'string',
    schemaType: 'array',
    compile: (values: readonly unknown[]) => (value: unknown) => values.includes(value),
  })
  // What the values mean, and which are likely, is for people.
  created.addKeyword('enumDescriptions')
  created.addKeyword('suggestions')
  return created
}
