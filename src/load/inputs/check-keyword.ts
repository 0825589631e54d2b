import { readPattern } from '../../core/expressions/index.ts'
import { isJsonObject, type JsonPath, type JsonSchema, type JsonValue } from '../../core/json.ts'
import { valueProblem } from '../../core/people/index.ts'
import { suggest } from '../../core/text/index.ts'
import { schemaFormats } from '../../schema/index.ts'
import { type KeywordValue, schemaTypes } from './vocabulary.ts'

/** What is wrong with the value of a keyword. */
export interface KeywordProblem {
  readonly code: 'INVALID_SCHEMA' | 'UNSUPPORTED_SCHEMA'
  readonly message: string
  readonly hint?: string
}

const draft = /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/

const text: JsonSchema = { type: 'string' }
const filled: JsonSchema = { type: 'array', minItems: 1 }
const map: JsonSchema = { type: 'object' }

/** What the value of a keyword has to be. Keywords without a rule take anything, or are checked by their schemas. */
const rules: Readonly<Partial<Record<KeywordValue, JsonSchema>>> = {
  text,
  pattern: text,
  format: text,
  reference: text,
  draft: text,
  flag: { type: 'boolean' },
  number: { type: 'number' },
  positive: { type: 'number', exclusiveMinimum: 0 },
  count: { type: 'integer', minimum: 0 },
  list: { type: 'array' },
  some: filled,
  names: { type: 'array', items: text, uniqueItems: true },
  schemas: filled,
  'schema-map': map,
  'pattern-map': map,
}

/** Checks the value of a keyword alone; the caller walks the schemas inside it. */
export function checkKeyword(
  keyword: string,
  takes: KeywordValue,
  value: unknown,
  root: JsonSchema,
): KeywordProblem | undefined {
  if (takes === 'type') return checkType(value)
  const rule = rules[takes]
  const problem = rule && valueProblem(rule, value as JsonValue)
  if (!problem) return typeof value === 'string' ? checkText(takes, value, root) : undefined
  return {
    code: 'INVALID_SCHEMA',
    message: `"${keyword}${problem.path}" ${problem.message}`,
    ...(takes === 'names' ? { hint: `such as ${keyword}: [host]` } : {}),
  }
}

function checkType(value: unknown): KeywordProblem | undefined {
  const given: readonly unknown[] = Array.isArray(value) ? value : [value]
  const wrong = given.find((name) => !(schemaTypes as readonly unknown[]).includes(name))
  const isSound = wrong === undefined && given.length > 0 && new Set(given).size === given.length
  if (isSound) return undefined
  return {
    code: 'INVALID_SCHEMA',
    message:
      wrong === undefined
        ? '"type" takes a name, or a list of different names'
        : `there is no type ${JSON.stringify(wrong)}`,
    hint:
      typeof wrong === 'string'
        ? suggest(familiar[wrong] ?? wrong, schemaTypes)
        : `known: ${schemaTypes.join(', ')}`,
  }
}

/** What other languages call the types. */
const familiar: Readonly<Record<string, string>> = {
  text: 'string',
  str: 'string',
  int: 'integer',
  float: 'number',
  double: 'number',
  bool: 'boolean',
  list: 'array',
  map: 'object',
  dict: 'object',
}

function checkText(takes: KeywordValue, value: string, root: JsonSchema): KeywordProblem | undefined {
  const refuse = (message: string, hint: string): KeywordProblem => ({
    code: 'UNSUPPORTED_SCHEMA',
    message,
    hint,
  })
  switch (takes) {
    case 'draft':
      if (draft.test(value)) return undefined
      return refuse('the schemas of inputs are those of draft 07', 'leave $schema out')
    case 'format':
      if (schemaFormats.includes(value)) return undefined
      return refuse(`there is no format "${value}"`, suggest(value, schemaFormats))
    case 'pattern':
      return checkPattern(value)
    case 'reference':
      if (!value.startsWith('#'))
        return refuse('a schema refers to its own parts only', 'such as #/definitions/host')
      if (resolveReference(value, root) !== undefined) return undefined
      return { code: 'INVALID_SCHEMA', message: `there is no "${value}" in this schema` }
    default:
      return undefined
  }
}

/** Patterns are RE2's: no look-around and no back references, and so never slow. */
export function checkPattern(text: string): KeywordProblem | undefined {
  const pattern = readPattern(text)
  return 'problem' in pattern ? { code: 'UNSUPPORTED_SCHEMA', message: pattern.problem } : undefined
}

/** The part of a schema that a reference such as `#/definitions/host` means. */
export function resolveReference(reference: string, root: JsonSchema): JsonSchema | boolean | undefined {
  const parts: JsonPath = reference === '#' ? [] : reference.slice(2).split('/').map(unescapePart)
  if (reference !== '#' && !reference.startsWith('#/')) return undefined
  let at: unknown = root
  for (const part of parts) {
    const isHolder = typeof at === 'object' && at !== null && Object.hasOwn(at, part)
    if (!isHolder) return undefined
    at = (at as Readonly<Record<string, unknown>>)[part as string]
  }
  return isJsonObject(at) || typeof at === 'boolean' ? at : undefined
}

function unescapePart(part: string): string {
  const plain = part.replaceAll('~1', '/').replaceAll('~0', '~')
  try {
    return decodeURIComponent(plain)
  } catch {
    return plain
  }
}
