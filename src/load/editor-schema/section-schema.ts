import { errorRules } from '../../core/errors.ts'
import type { JsonSchema } from '../../core/json.ts'
import type { KeyRule, KeyValue, Section } from '../language/index.ts'
import { durationSchema, orExpression, wholeExpression } from './expressions.ts'

/** A section of the language with its keys, as an editor checks and completes it. */
export function sectionSchema(section: Section): JsonSchema {
  const required = requiredKeys(section)
  return {
    type: 'object',
    title: section.title,
    description: section.summary,
    additionalProperties: false,
    ...(required.length === 0 ? {} : { required }),
    properties: keySchemas(section, section.keys),
  }
}

export function requiredKeys({ keys }: Pick<Section, 'keys'>): readonly string[] {
  return keys.filter(({ isRequired }) => isRequired).map(({ key }) => key)
}

/** The schemas of some keys of a section, by key. */
export function keySchemas(
  { name }: Pick<Section, 'name'>,
  keys: readonly KeyRule[],
): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(keys.map((rule) => [rule.key, keySchema(rule, name)]))
}

/** Editors write defaults out when they insert a map: a help with these, and noise anywhere else. */
const filledIn: ReadonlySet<Section['name']> = new Set(['retry', 'throttle', 'repeat', 'max-starts'])

function keySchema(rule: KeyRule, section: Section['name']): JsonSchema {
  const { summary, example, default: otherwise } = rule
  const isSaid = otherwise !== undefined && !rule.isRequired
  return {
    ...valueSchema(rule, section),
    description: isSaid ? `${summary} Default: ${String(otherwise)}.` : summary,
    ...(otherwise !== undefined && filledIn.has(section) ? { default: otherwise } : {}),
    ...(example === undefined ? {} : { examples: [example] }),
  }
}

function valueSchema({ key, value }: KeyRule, section: Section['name']): JsonSchema {
  if (section === 'document' && key === 'inputs') return { $ref: '#/definitions/inputs' }
  if (section === 'step' && key === 'id') return idSchema
  if (key === 'errors' || key === 'except') return codesSchema(section)
  switch (value.kind) {
    case 'data':
      return value.seesInputs ? orExpression(value.schema) : withPatternMessage(value.schema)
    case 'template':
      return orExpression(value.schema)
    case 'words':
      return { type: 'string' }
    case 'duration':
      return value.seesInputs ? orExpression(durationSchema) : durationSchema
    case 'condition':
      return { anyOf: conditionSchemas }
    case 'map':
      return { $ref: `#/definitions/${value.section}` }
    case 'list':
      return listSchema(value)
  }
}

const idSchema: JsonSchema = {
  type: 'string',
  pattern: '^[a-z][a-z0-9_]*$',
  patternErrorMessage: 'Expected lower-case letters, digits and "_", a letter first',
}

const conditionSchemas: readonly JsonSchema[] = [wholeExpression, { title: 'true or false', type: 'boolean' }]

function listSchema({ section, least, most }: KeyValue & { kind: 'list' }): JsonSchema {
  const item: JsonSchema = { $ref: `#/definitions/${section}` }
  return {
    type: 'array',
    ...(least === 0 ? {} : { minItems: least }),
    maxItems: most,
    // A condition may stand for an expectation without a message.
    items: section === 'expectation' ? { anyOf: [...conditionSchemas, item] } : item,
  }
}

function codesSchema(section: Section['name']): JsonSchema {
  const all = section === 'catch' ? { all: 'Any error.' } : {}
  return { type: 'array', minItems: 1, items: errorCodeSchema(all) }
}

/** Our words for a broken rule, where editors look for them. */
function withPatternMessage(schema: JsonSchema): JsonSchema {
  const { errorMessage, ...rest } = schema
  if (typeof errorMessage !== 'string') return schema
  const message = `Expected ${errorMessage.replace(/^is /, '')}`
  return rest['pattern'] === undefined
    ? { ...rest, errorMessage: message }
    : { ...rest, patternErrorMessage: message }
}

/** An error code: the known ones are completed with what they mean, and others are taken, since services have more. */
function errorCodeSchema(more: Readonly<Record<string, string>> = {}): JsonSchema {
  const known = Object.entries(errorRules).map(([code, { explanation }]) => [code, explanation] as const)
  const all = [...Object.entries(more), ...known]
  return {
    anyOf: [
      { enum: all.map(([code]) => code), enumDescriptions: all.map(([, explanation]) => explanation) },
      { type: 'string', minLength: 1 },
    ],
  }
}
