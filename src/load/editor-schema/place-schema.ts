import type { JsonSchema } from '../../core/json.ts'
import type { KeyRule, KeyValue, Place } from '../language/index.ts'
import { durationSchema } from './durations.ts'
import { errorCodeSchema } from './error-codes.ts'
import { orExpression, wholeExpression } from './expressions.ts'

/** A place of the language with its keys, as an editor checks and completes it. */
export function placeSchema(place: Place): JsonSchema {
  const required = requiredKeys(place)
  return {
    type: 'object',
    title: place.title,
    description: place.summary,
    additionalProperties: false,
    ...(required.length === 0 ? {} : { required }),
    properties: keySchemas(place, place.keys),
  }
}

export function requiredKeys({ keys }: Pick<Place, 'keys'>): readonly string[] {
  return keys.filter(({ isRequired }) => isRequired).map(({ key }) => key)
}

/** The schemas of some keys of a place, by key. */
export function keySchemas(
  { name }: Pick<Place, 'name'>,
  keys: readonly KeyRule[],
): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(keys.map((rule) => [rule.key, keySchema(rule, name)]))
}

/** Editors write defaults out when they insert a map: a help with these, and noise anywhere else. */
const filledIn: ReadonlySet<Place['name']> = new Set(['retry', 'throttle', 'repeat', 'max-starts'])

function keySchema(rule: KeyRule, place: Place['name']): JsonSchema {
  const { summary, example, default: otherwise } = rule
  const isSaid = otherwise !== undefined && !rule.isRequired
  return {
    ...valueSchema(rule, place),
    description: isSaid ? `${summary} Default: ${String(otherwise)}.` : summary,
    ...(otherwise !== undefined && filledIn.has(place) ? { default: otherwise } : {}),
    ...(example === undefined ? {} : { examples: [example] }),
  }
}

function valueSchema({ key, value }: KeyRule, place: Place['name']): JsonSchema {
  if (place === 'document' && key === 'inputs') return { $ref: '#/definitions/inputs' }
  if (place === 'step' && key === 'id') return idSchema
  if (key === 'errors' || key === 'except') return codesSchema(place)
  switch (value.kind) {
    case 'data':
      return withPatternMessage(value.schema)
    case 'template':
      return orExpression(value.schema)
    case 'words':
      return { type: 'string' }
    case 'duration':
      return durationSchema
    case 'condition':
      return { anyOf: conditionSchemas }
    case 'map':
      return { $ref: `#/definitions/${value.place}` }
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

function listSchema({ place, least, most }: KeyValue & { kind: 'list' }): JsonSchema {
  const item: JsonSchema = { $ref: `#/definitions/${place}` }
  return {
    type: 'array',
    ...(least === 0 ? {} : { minItems: least }),
    maxItems: most,
    // A condition may stand for an expectation without a message.
    items: place === 'expectation' ? { anyOf: [...conditionSchemas, item] } : item,
  }
}

function codesSchema(place: Place['name']): JsonSchema {
  const all = place === 'catch' ? { all: 'Any error.' } : {}
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
