import { Ajv, type Options, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import { parseDuration } from '../core/duration.ts'
import { readPattern } from '../core/expressions/index.ts'
import type { JsonSchema } from '../core/json.ts'
import { standardFormats } from '../core/schema-formats.ts'

/** Patterns of authors run in linear time, whatever the text they are tried on. */
const linearPattern = Object.assign(
  (source: string) => {
    const pattern = readPattern(source)
    if ('problem' in pattern) throw new Error(pattern.problem)
    // Ajv identifies the patterns of a schema by this text: without it the first would be used for all.
    return { test: (text: string) => pattern.find(text), toString: () => source }
  },
  { code: 'linearPattern' },
)

/**
 * Makes an Ajv for the inputs of runbooks. Their schemas have been read by `checkInputsSchema`, which is far quicker
 * than the schema of schemas.
 */
export function createInputsAjv(options: Options = {}): Ajv {
  const ajv = new Ajv({
    allErrors: true,
    strict: false,
    verbose: true,
    validateSchema: false,
    meta: false,
    code: { regExp: linearPattern },
    ...options,
  })
  return prepare(ajv)
}

let ownAjv: Ajv | undefined

/**
 * Compiles a schema of ours. It is not checked against the schema of schemas: that would take longer than all
 * other work of loading a runbook.
 */
export function compileOwn(schema: JsonSchema): ValidateFunction {
  ownAjv ??= prepare(
    new Ajv({
      allErrors: true,
      strict: false,
      verbose: true,
      validateSchema: false,
      meta: false,
      inlineRefs: false,
      code: { optimize: false },
    }),
  )
  return ownAjv.compile(schema)
}

function prepare(ajv: Ajv): Ajv {
  // The package is CommonJS: its function is the default of its default.
  addFormats.default(ajv, [...standardFormats])
  ajv.addFormat('duration', (text) => parseDuration(text) !== undefined)
  ajv.addKeyword('example')
  return ajv
}
