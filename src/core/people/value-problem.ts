import { readPattern } from '../expressions/pattern.ts'
import { isJsonObject, isSameJson, type JsonSchema, type JsonValue } from '../json.ts'
import { schemaSentence, wordsOfYaml } from '../text/schema-sentences.ts'
import { readTime } from '../times/calendar.ts'
import { parseDuration } from '../times/duration.ts'

/** The keywords that the schema of an answer can have: those of a form. */
export const answerKeywords = [
  'type',
  'enum',
  'const',
  'title',
  'description',
  'default',
  'examples',
  'example',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'items',
  'minItems',
  'maxItems',
  'uniqueItems',
  'properties',
  'additionalProperties',
  'required',
  'minProperties',
  'maxProperties',
] as const

const ipv4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/

/** The formats that an answer can have. */
export const answerFormats: Readonly<Record<string, (text: string) => boolean>> = {
  date: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && readTime(`${text}T00:00:00Z`) !== undefined,
  'date-time': (text) => readTime(text) !== undefined,
  duration: (text) => parseDuration(text) !== undefined,
  email: (text) => /^[^\s@]{1,64}@[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i.test(text),
  hostname: (text) =>
    text.length <= 253 && /^[a-z0-9](?:[a-z0-9-]{0,62})(?:\.[a-z0-9](?:[a-z0-9-]{0,62}))*\.?$/i.test(text),
  ipv4: (text) => ipv4.test(text),
  ipv6: (text) => text.includes(':') && /^[0-9a-f:.]{2,45}$/i.test(text) && isIpv6(text),
  uri: (text) => /^[a-z][a-z0-9+.-]*:[^\s]+$/i.test(text),
  uuid: (text) => /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text),
}

/** The first place where a value does not fit its schema, such as `hosts[0]`, and what is wrong there. */
export interface ValueProblem {
  readonly path: string
  readonly message: string
}

/**
 * Finds what of a value does not fit the schema of an answer. It is not Ajv, which makes functions out of text: a
 * workflow has to come to the same result in an isolate that forbids that.
 */
export function valueProblem(schema: JsonSchema, value: JsonValue, path = ''): ValueProblem | undefined {
  for (const [keyword, params] of brokenRules(schema, value)) {
    const error = { keyword, params, data: value, schema: schema[keyword], parentSchema: schema }
    return { path, message: schemaSentence(error, wordsOfYaml) }
  }
  if (Array.isArray(value))
    return firstOf(value.map((item, index) => () => inList(schema, item, index, path)))
  return isJsonObject(value) ? inMap(schema, value, path) : undefined
}

type Rules = Iterable<readonly [string, Readonly<Record<string, unknown>>]>

function* brokenRules(schema: JsonSchema, value: JsonValue): Rules {
  const { type, enum: listed, const: constant } = schema
  if (type !== undefined && ![type].flat().some((one) => isOfType(one, value))) yield ['type', { type }]
  if (Array.isArray(listed) && !listed.some((one) => isSameJson(one as JsonValue, value))) yield ['enum', {}]
  if (constant !== undefined && !isSameJson(constant as JsonValue, value))
    yield ['const', { allowedValue: constant }]
  if (typeof value === 'number') yield* brokenByNumber(schema, value)
  if (typeof value === 'string') yield* brokenByText(schema, value)
  if (Array.isArray(value)) {
    yield* brokenByCount(schema, value.length, 'minItems', 'maxItems')
    const texts = value.map((one: JsonValue) => JSON.stringify(one))
    if (schema['uniqueItems'] === true && new Set(texts).size < texts.length) yield ['uniqueItems', {}]
  } else if (isJsonObject(value))
    yield* brokenByCount(schema, Object.keys(value).length, 'minProperties', 'maxProperties')
}

function isOfType(type: unknown, value: JsonValue): boolean {
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isJsonObject(value)
  return type === 'null' ? value === null : typeof value === type
}

function* brokenByNumber(schema: JsonSchema, value: number): Rules {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  if (typeof minimum === 'number' && value < minimum) yield ['minimum', { limit: minimum }]
  if (typeof maximum === 'number' && value > maximum) yield ['maximum', { limit: maximum }]
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) yield ['exclusiveMinimum', {}]
  if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum) yield ['exclusiveMaximum', {}]
  if (typeof multipleOf === 'number' && !Number.isInteger(value / multipleOf)) yield ['multipleOf', {}]
}

function* brokenByText(schema: JsonSchema, value: string): Rules {
  yield* brokenByCount(schema, [...value].length, 'minLength', 'maxLength')
  const { pattern, format } = schema
  if (typeof pattern === 'string') {
    const read = readPattern(pattern)
    if ('problem' in read || !read.find(value)) yield ['pattern', { pattern }]
  }
  if (typeof format === 'string' && answerFormats[format]?.(value) === false) yield ['format', {}]
}

function* brokenByCount(schema: JsonSchema, count: number, least: string, most: string): Rules {
  const [atLeast, atMost] = [schema[least], schema[most]]
  if (typeof atLeast === 'number' && count < atLeast) yield [least, { limit: atLeast }]
  if (typeof atMost === 'number' && count > atMost) yield [most, { limit: atMost }]
}

function inList(
  { items }: JsonSchema,
  item: JsonValue,
  index: number,
  path: string,
): ValueProblem | undefined {
  return isJsonObject(items) ? valueProblem(items, item, `${path}[${index}]`) : undefined
}

function inMap(schema: JsonSchema, value: Readonly<Record<string, JsonValue>>, path: string) {
  const { properties = {}, required = [], additionalProperties } = schema
  const known = properties as Readonly<Record<string, JsonSchema>>
  const inside = (name: string): string => (path === '' ? name : `${path}.${name}`)
  // First the unknown name: it may be a misspelled field, which is not missing then.
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(known, name))
  if (unknown !== undefined && additionalProperties === false) {
    const fields = Object.keys(known).join(', ')
    return { path: inside(unknown), message: `is no field of the answer; it has ${fields || 'none'}` }
  }
  const missing = (required as readonly string[]).find((name) => !Object.hasOwn(value, name))
  if (missing !== undefined) return { path: inside(missing), message: 'is required' }
  return firstOf(
    Object.entries(value).map(([name, member]) => () => {
      if (Object.hasOwn(known, name)) return valueProblem(known[name] ?? {}, member, inside(name))
      return isJsonObject(additionalProperties)
        ? valueProblem(additionalProperties, member, inside(name))
        : undefined
    }),
  )
}

function firstOf(checks: readonly (() => ValueProblem | undefined)[]): ValueProblem | undefined {
  for (const check of checks) {
    const problem = check()
    if (problem) return problem
  }
  return undefined
}

function isIpv6(text: string): boolean {
  const last = text.slice(text.lastIndexOf(':') + 1)
  const whole = last.includes('.') ? (ipv4.test(last) ? text.replace(last, '0:0') : '') : text
  const halves = whole.split('::')
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')))
  const isFull = halves.length === 1 ? groups.length === 8 : halves.length === 2 && groups.length < 8
  return isFull && groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))
}
