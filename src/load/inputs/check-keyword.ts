import { readPattern } from '../../core/expressions/pattern.ts'
import { isJsonObject, type JsonSchema } from '../../core/json.ts'
import { suggest } from '../../core/nearest.ts'
import { schemaFormats } from '../../core/schema-formats.ts'
import type { JsonPath } from '../json-path.ts'
import { type KeywordValue, schemaTypes } from './vocabulary.ts'

/** What is wrong with the value of a keyword. */
export interface KeywordProblem {
  readonly code: 'INVALID_SCHEMA' | 'UNSUPPORTED_SCHEMA'
  readonly message: string
  readonly hint?: string
}

const draft = /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/

/** Judges the value of a keyword by itself; schemas inside it are walked by the caller. */
export function checkKeyword(
  keyword: string,
  takes: KeywordValue,
  value: unknown,
  root: JsonSchema,
): KeywordProblem | undefined {
  const wrong = (needs: string, hint?: string): KeywordProblem => ({
    code: 'INVALID_SCHEMA',
    message: `"${keyword}" takes ${needs}`,
    ...(hint === undefined ? {} : { hint }),
  })
  switch (takes) {
    case 'anything':
      return undefined
    case 'text':
      return typeof value === 'string' ? undefined : wrong('a text')
    case 'flag':
      return typeof value === 'boolean' ? undefined : wrong('true or false')
    case 'number':
      return typeof value === 'number' ? undefined : wrong('a number')
    case 'positive':
      return typeof value === 'number' && value > 0 ? undefined : wrong('a number above 0')
    case 'count':
      return Number.isSafeInteger(value) && (value as number) >= 0
        ? undefined
        : wrong('a whole number from 0 on')
    case 'list':
      return Array.isArray(value) ? undefined : wrong('a list')
    case 'some':
      return Array.isArray(value) && value.length > 0 ? undefined : wrong('a list of at least one value')
    case 'names':
      return isListOfNames(value) ? undefined : wrong('a list of names', `such as ${keyword}: [host]`)
    case 'type':
      return checkType(value)
    case 'schemas':
      return Array.isArray(value) && value.length > 0 ? undefined : wrong('a list of at least one schema')
    case 'schema-map':
    case 'pattern-map':
      return isJsonObject(value) ? undefined : wrong('a map from names to schemas')
    case 'schema':
    case 'schema-or-list':
      return undefined
    default:
      return typeof value === 'string' ? checkText(takes, value, root) : wrong('a text')
  }
}

function isListOfNames(value: unknown): boolean {
  const isList = Array.isArray(value) && value.every((item) => typeof item === 'string')
  return isList && new Set(value).size === value.length
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

function checkText(
  takes: 'pattern' | 'format' | 'reference' | 'draft',
  text: string,
  root: JsonSchema,
): KeywordProblem | undefined {
  if (takes === 'draft') {
    if (draft.test(text)) return undefined
    const message = 'the schemas of inputs are those of draft 07'
    return { code: 'UNSUPPORTED_SCHEMA', message, hint: 'leave $schema out' }
  }
  if (takes === 'format') {
    if (schemaFormats.includes(text)) return undefined
    const message = `there is no format "${text}"`
    return { code: 'UNSUPPORTED_SCHEMA', message, hint: suggest(text, schemaFormats) }
  }
  if (takes === 'pattern') return checkPattern(text)
  if (!text.startsWith('#')) {
    const message = 'a schema refers to its own parts only'
    return { code: 'UNSUPPORTED_SCHEMA', message, hint: 'such as #/definitions/host' }
  }
  if (resolveReference(text, root) !== undefined) return undefined
  return { code: 'INVALID_SCHEMA', message: `there is no "${text}" in this schema` }
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
