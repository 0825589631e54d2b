import type { Ajv, Options, ValidateFunction } from 'ajv'
import { readPattern } from '../core/expressions/index.ts'
import type { JsonSchema } from '../core/json.ts'
import { createAjv } from '../schema/index.ts'
import { compiledSchemas } from './compiled-schemas.ts'

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
  return createAjv({ ...withoutCheck, code: { regExp: linearPattern }, ...options })
}

/** Keywords that Ajv does not know are ignored. */
const withoutCheck: Options = { strict: false, validateSchema: false, meta: false }

let ownAjv: Ajv | undefined

/** Compiles a schema of ours, where the build has not done so. */
export function compileOwn(schema: JsonSchema): ValidateFunction {
  const compiled = compiledSchemas.get(JSON.stringify(schema))
  if (compiled) return compiled
  ownAjv ??= createOwnAjv()
  return ownAjv.compile(schema)
}

/**
 * Makes an Ajv for our own schemas. They are not checked against the schema of schemas: that would take longer than
 * all other work of loading a runbook.
 */
export function createOwnAjv(code: Options['code'] = {}): Ajv {
  return createAjv({ ...withoutCheck, inlineRefs: false, code: { optimize: false, ...code } })
}
