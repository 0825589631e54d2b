import { isJsonObject, type JsonSchema, type JsonValue } from '../../core/json.ts'
import { valueProblem } from '../../core/people/index.ts'
import { quote } from '../../core/text/index.ts'
import type { KeywordProblem } from './check-keyword.ts'

/** The least and the most of one thing: with the least above the most, no value fits. */
const bounds: readonly (readonly [least: string, most: string])[] = [
  ['minimum', 'maximum'],
  ['minimum', 'exclusiveMaximum'],
  ['exclusiveMinimum', 'maximum'],
  ['exclusiveMinimum', 'exclusiveMaximum'],
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minProperties', 'maxProperties'],
]

/** Why no value fits a schema whose keywords are sound, as far as these alone show it, and the keyword. */
export function whyImpossible(
  schema: JsonSchema,
): { readonly keyword: string; readonly problem: KeywordProblem } | undefined {
  const [keyword, message] =
    wrongBounds(schema) ?? wrongValues(schema) ?? wrongNames(schema) ?? wrongParts(schema) ?? ([] as const)
  if (keyword === undefined) return undefined
  return { keyword, problem: { code: 'INVALID_SCHEMA', message: `no value fits: ${message}` } }
}

type Reason = readonly [keyword: string, message: string] | undefined

function wrongBounds(schema: JsonSchema): Reason {
  const isWhole = schema['type'] === 'integer'
  for (const [least, most] of bounds) {
    const [from, to] = [schema[least], schema[most]]
    if (typeof from !== 'number' || typeof to !== 'number') continue
    const [isAbove, isBelow] = [least.startsWith('exclusive'), most.startsWith('exclusive')]
    const first = isWhole ? (isAbove ? Math.floor(from) + 1 : Math.ceil(from)) : from
    const last = isWhole ? (isBelow ? Math.ceil(to) - 1 : Math.floor(to)) : to
    if (first > last || (first === last && !isWhole && (isAbove || isBelow)))
      return [least, `"${least}" is ${from}, and "${most}" is ${to}`]
  }
  return undefined
}

/** The listed values, judged by the other keywords. */
function wrongValues(schema: JsonSchema): Reason {
  const { type, enum: listed, const: only } = schema
  const keyword = only === undefined ? 'enum' : 'const'
  const values = only === undefined ? listed : [only]
  if (!Array.isArray(values)) return undefined
  const [problem, ...others] = values.map((value: JsonValue) => {
    const rules = isJsonObject(value) || Array.isArray(value) ? { type: type ?? [] } : schema
    return type === undefined && rules !== schema ? undefined : valueProblem(rules as JsonSchema, value)
  })
  if (problem === undefined || others.includes(undefined)) return undefined
  return [
    keyword,
    `${quote(values[0])} ${problem.message}${others.length > 0 ? ', and the others do not fit either' : ''}`,
  ]
}

/** Keys that there must be, and cannot be. */
function wrongNames({ properties, required = [], ...schema }: JsonSchema): Reason {
  if (!Array.isArray(required)) return undefined
  const declared = isJsonObject(properties) ? properties : {}
  const isClosed = schema['additionalProperties'] === false && schema['patternProperties'] === undefined
  const missing = required.find((name) =>
    Object.hasOwn(declared, name) ? declared[name] === false : isClosed,
  )
  if (missing !== undefined) return ['required', `it needs "${missing}", and has no such property`]
  const { maxProperties: most, minProperties: least } = schema
  if (typeof most === 'number' && required.length > most)
    return ['required', `it needs ${required.length} properties, and "maxProperties" is ${most}`]
  const count = Object.keys(declared).length
  return isClosed && typeof least === 'number' && count < least
    ? ['minProperties', `"minProperties" is ${least}, and it can have ${count}`]
    : undefined
}

/** Parts that no value fits together. */
function wrongParts({ type, allOf, not }: JsonSchema): Reason {
  if (not === true || (isJsonObject(not) && Object.keys(not).length === 0))
    return ['not', 'it excludes every value']
  if (!Array.isArray(allOf)) return undefined
  const types = [type, ...allOf.map((part) => (isJsonObject(part) ? part['type'] : undefined))]
    .filter((one) => one !== undefined)
    .map((one) => [one].flat().flatMap((name) => (name === 'number' ? ['number', 'integer'] : [name])))
  const [first = [], ...others] = types
  const isPossible = types.length === 0 || first.some((one) => others.every((other) => other.includes(one)))
  return isPossible ? undefined : ['allOf', 'its parts have no type in common']
}
