import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { DiagnosticCode } from '../core/diagnostic.ts'
import { parseDuration } from '../core/duration.ts'
import type { JsonSchema } from '../core/json.ts'
import { nearest } from '../core/nearest.ts'
import { formatPath, type JsonPath, parsePointer, valueAt } from './json-path.ts'
import { hasExpression } from './segments.ts'
import { shapeSchema } from './shape-schema.ts'
import type { Source } from './source.ts'

/** One broken rule of a schema, in our words. */
export interface ShapeProblem {
  readonly code: 'UNKNOWN_KEY' | 'MISSING_KEY' | 'WRONG_TYPE' | 'WRONG_VALUE' | 'INVALID_DURATION'
  readonly path: JsonPath
  /** The finding is about the key and not its value. */
  readonly isAboutKey: boolean
  readonly message: string
  readonly hint?: string
}

/** Makes an Ajv for schemas that authors write: what it does not know is an error, too. */
export function createAjv(options: Options = {}): Ajv {
  return prepare(new Ajv({ allErrors: true, strict: false, strictSchema: true, verbose: true, ...options }))
}

function prepare(ajv: Ajv): Ajv {
  // The package is CommonJS: its function is the default of its default.
  addFormats.default(ajv, [
    'date',
    'time',
    'date-time',
    'email',
    'hostname',
    'ipv4',
    'ipv6',
    'uri',
    'uuid',
    'regex',
  ])
  ajv.addFormat('duration', (text) => parseDuration(text) !== undefined)
  ajv.addKeyword('example')
  return ajv
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

let validateShape: ValidateFunction | undefined

/** Checks the shape of a whole runbook. A value that is an expression fits every place that has a type. */
export function checkShape(source: Source): void {
  validateShape ??= compileOwn(shapeSchema())
  const { findings } = source
  for (const problem of schemaProblems(validateShape, source.value)) {
    const range = problem.isAboutKey ? source.rangeOfKey(problem.path) : source.rangeOf(problem.path)
    findings.add(problem.code satisfies DiagnosticCode, problem.path, range, problem.message, problem.hint)
  }
}

/** Everything that a schema finds wrong with a value, leaving out what expressions will decide later. */
export function schemaProblems(validate: ValidateFunction, value: unknown): readonly ShapeProblem[] {
  if (validate(value)) return []
  return (validate.errors ?? []).flatMap((error) => {
    const path = parsePointer(error.instancePath, value)
    const at = valueAt(value, path)
    const isUndecided = typeof at === 'string' && hasExpression(at)
    return isUndecided || isSummary(error) ? [] : [describe(error, path)]
  })
}

/** Branches of `anyOf` are summed up by the `anyOf` itself. */
function isSummary(error: ErrorObject): boolean {
  return /\/anyOf\/\d+\//.test(error.schemaPath)
}

function describe(error: ErrorObject, path: JsonPath): ShapeProblem {
  const { keyword, params } = error
  const place = path.length === 0 ? 'the runbook' : `"${String(path.at(-1))}"`
  if (keyword === 'additionalProperties') return unknownKey(error, path)
  if (keyword === 'required') {
    const missing = String(params['missingProperty'])
    return { code: 'MISSING_KEY', path, isAboutKey: false, message: `${place} needs the key "${missing}"` }
  }
  if (keyword === 'format' && params['format'] === 'duration') {
    const message = `${JSON.stringify(error.data)} is not a duration`
    return {
      code: 'INVALID_DURATION',
      path,
      isAboutKey: false,
      message,
      hint: 'such as 500ms, 30s, 15m, 2h, 7d',
    }
  }
  if (keyword === 'format') {
    const message = `${JSON.stringify(error.data)} is not a ${String(params['format'])}`
    return { code: 'WRONG_VALUE', path, isAboutKey: false, message, hint: 'such as 2026-01-31T08:00:00Z' }
  }
  if (keyword === 'type') {
    const message = `${place} must be ${kinds(params['type'])}, not ${kindOfYaml(error.data)}`
    return { code: 'WRONG_TYPE', path, isAboutKey: false, message, ...typeHint(error) }
  }
  return { code: 'WRONG_VALUE', path, isAboutKey: false, message: `${place} ${explain(error)}` }
}

function unknownKey(error: ErrorObject, path: JsonPath): ShapeProblem {
  const name = String(error.params['additionalProperty'])
  const known = Object.keys(((error.parentSchema as JsonSchema)['properties'] ?? {}) as object)
  const near = nearest(name, known)
  return {
    code: 'UNKNOWN_KEY',
    path: [...path, name],
    isAboutKey: true,
    message: `there is no key "${name}" ${path.length === 0 ? 'in a runbook' : `in ${formatPath(path)}`}`,
    hint: near === undefined ? `known: ${known.join(', ') || 'none'}` : `did you mean "${near}"?`,
  }
}

function explain(error: ErrorObject): string {
  const { keyword, params, message = 'is not allowed' } = error
  const { errorMessage } = error.parentSchema as JsonSchema
  if (errorMessage !== undefined) return `is not allowed: it ${String(errorMessage)}`
  if (keyword === 'enum')
    return `must be one of ${(params['allowedValues'] as unknown[]).map(String).join(', ')}`
  if (keyword === 'maxLength') return `is longer than ${params['limit']} characters`
  if (keyword === 'minLength')
    return params['limit'] === 1 ? 'must not be empty' : `is shorter than ${params['limit']} characters`
  if (keyword === 'minItems')
    return `needs at least ${params['limit']} item${params['limit'] === 1 ? '' : 's'}`
  if (keyword === 'pattern') return `must match ${params['pattern']}`
  return message
}

function kinds(type: unknown): string {
  const names: Readonly<Record<string, string>> = {
    object: 'a map',
    array: 'a list',
    string: 'a text',
    integer: 'a whole number',
    number: 'a number',
    boolean: 'true or false',
    null: 'null',
  }
  return [type]
    .flat()
    .map((name) => names[String(name)] ?? String(name))
    .join(' or ')
}

function kindOfYaml(value: unknown): string {
  if (value === null) return 'empty'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'a map'
  return typeof value === 'string' ? `the text ${JSON.stringify(value)}` : String(value)
}

function typeHint(error: ErrorObject): { hint?: string } {
  if (error.params['type'] === 'string' && ['number', 'boolean'].includes(typeof error.data)) {
    return { hint: `quote it: "${String(error.data)}"` }
  }
  if (error.params['type'] === 'boolean' && typeof error.data === 'string') {
    return { hint: `write one whole expression: \${{ ${error.data.trim()} }}` }
  }
  return {}
}
