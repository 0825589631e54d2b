import type { ErrorObject } from 'ajv'
import type { InputProblem } from '../core/action.ts'
import { isJsonObject } from '../core/json.ts'
import { hint } from '../core/nearest.ts'
import { childPath, pointerPath } from './field-path.ts'

/**
 * What Ajv found, said for people and without the value itself, which may be a secret. One problem for each path:
 * the first one is the cause of the others.
 */
export function schemaProblems(errors: readonly ErrorObject[], value: unknown): readonly InputProblem[] {
  const problems = new Map<string, InputProblem>()
  for (const error of errors) {
    const path = problemPath(error, pointerPath(error.instancePath, value))
    if (!problems.has(path)) problems.set(path, { path, message: describe(error) })
  }
  return [...problems.values()]
}

function problemPath(error: ErrorObject, holder: string): string {
  if (error.keyword === 'required') return childPath(holder, String(error.params['missingProperty']))
  if (error.keyword === 'additionalProperties') return childPath(holder, unknownField(error))
  return holder
}

function describe(error: ErrorObject): string {
  const { keyword, params, data } = error
  switch (keyword) {
    case 'required':
      return 'is required'
    case 'additionalProperties':
      return `is not a known field${hint(unknownField(error), knownFields(error))}`
    case 'type':
      return `must be ${typeNames(params['type'])}, not ${describeType(data)}`
    case 'enum':
    case 'knownValues':
      return describeValues(error)
    case 'minLength':
      return params['limit'] === 1 ? 'must not be empty' : `must have at least ${params['limit']} characters`
    case 'maxLength':
      return `has ${[...String(data)].length} characters; at most ${params['limit']} are allowed`
    case 'minItems':
      return params['limit'] === 1
        ? 'must hold at least one item'
        : `must hold at least ${params['limit']} items`
    case 'minimum':
      return `must be at least ${params['limit']}`
    case 'maximum':
      return `must be at most ${params['limit']}`
    case 'pattern':
      return `must match ${params['pattern']}${described(error)}`
    default:
      return error.message ?? `breaks the rule "${keyword}"`
  }
}

function describeValues({ keyword, schema, data }: ErrorObject): string {
  const values = Array.isArray(schema) ? schema.map(String) : []
  const list = values.map((value) => JSON.stringify(value)).join(', ')
  const nearest = typeof data === 'string' ? hint(data, values) : ''
  return keyword === 'enum'
    ? `must be one of ${list}${nearest}`
    : `is none of the values that the document lists (${list})${nearest}`
}

function described({ parentSchema }: ErrorObject): string {
  const description: unknown = parentSchema?.['description']
  return typeof description === 'string' ? ` (${description})` : ''
}

function unknownField(error: ErrorObject): string {
  return String(error.params['additionalProperty'])
}

function knownFields({ parentSchema }: ErrorObject): readonly string[] {
  const properties: unknown = parentSchema?.['properties']
  return isJsonObject(properties) ? Object.keys(properties) : []
}

function typeNames(types: unknown): string {
  return (Array.isArray(types) ? types : [types]).map((type) => withArticle(String(type))).join(' or ')
}

/** The type of a value as JSON names it. */
function describeType(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'number' && !Number.isInteger(value)) return 'a fraction'
  return withArticle(typeof value)
}

function withArticle(type: string): string {
  if (type === 'null' || type === 'undefined') return type
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`
}
