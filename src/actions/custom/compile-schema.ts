import type { Ajv, ValidateFunction } from 'ajv'
import type { JsonSchema } from '../../core/json.ts'
import { createAjv } from '../../schema/index.ts'

let ajv: Ajv | undefined
const compiled = new WeakMap<JsonSchema, ValidateFunction>()

/** The check of a schema that a project wrote. Throws for what is no JSON Schema, unknown keywords and formats included. */
export function compileSchema(schema: JsonSchema): ValidateFunction {
  const known = compiled.get(schema)
  if (known) return known
  ajv ??= createAjv({ strictTypes: false, strictTuples: false })
  const validate = ajv.compile(schema)
  compiled.set(schema, validate)
  return validate
}
