import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import { parseDuration } from '../../core/duration.ts'
import type { JsonSchema } from '../../core/json.ts'
import { standardFormats } from '../../core/schema-formats.ts'

let ajv: Ajv | undefined
const compiled = new WeakMap<JsonSchema, ValidateFunction>()

/** The check of a schema that a project wrote. Throws for what is no JSON Schema, unknown keywords and formats included. */
export function compileSchema(schema: JsonSchema): ValidateFunction {
  const known = compiled.get(schema)
  if (known) return known
  ajv ??= createAjv()
  const validate = ajv.compile(schema)
  compiled.set(schema, validate)
  return validate
}

function createAjv(): Ajv {
  const created = new Ajv({
    allErrors: true,
    verbose: true,
    strictTypes: false,
    strictTuples: false,
    allowUnionTypes: true,
    logger: false,
  })
  // The package is CommonJS: its function is the default of its default.
  addFormats.default(created, [...standardFormats])
  created.addFormat('duration', (text) => parseDuration(text) !== undefined)
  return created.addVocabulary(['knownValues', 'suggestions', 'example'])
}
