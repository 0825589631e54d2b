import type { JsonSchema } from '../core/json.ts'
import { type KeyValue, type Place, places } from './language/index.ts'

/**
 * The shape of a runbook as a JSON Schema, made from the tables of the language: what Ajv checks. With `used`, of a
 * runbook that has no other keys than these: what is asked of the values of others is left out.
 */
export function shapeSchema(used?: ReadonlySet<string>): JsonSchema {
  const definitions = Object.values(places).map((place) => [place.name, placeSchema(place, used)])
  return { $ref: '#/definitions/document', definitions: Object.fromEntries(definitions) }
}

function placeSchema(place: Place, used: ReadonlySet<string> | undefined): JsonSchema {
  const schemaOf = ({ key, value }: Place['keys'][number]): JsonSchema | true =>
    used === undefined || used.has(key) ? valueSchema(value) : true
  return {
    type: 'object',
    title: place.title,
    additionalProperties: false,
    required: place.keys.filter(({ isRequired }) => isRequired).map(({ key }) => key),
    properties: Object.fromEntries(place.keys.map((key) => [key.key, schemaOf(key)])),
  }
}

function valueSchema(value: KeyValue): JsonSchema {
  switch (value.kind) {
    case 'data':
    case 'template':
      return value.schema
    case 'words':
      return { type: 'string' }
    case 'duration':
      return { type: 'string', format: 'duration' }
    case 'condition':
      return { type: 'boolean' }
    case 'map':
      return { $ref: `#/definitions/${value.place}` }
    case 'list': {
      const item: JsonSchema = { $ref: `#/definitions/${value.place}` }
      // A condition may stand for an expectation without a message.
      const items =
        value.place === 'expectation'
          ? // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
            { if: { type: 'object' }, then: item, else: { type: 'boolean' } }
          : item
      // Steps are counted in the whole runbook, where one list is no different from many.
      const most = value.place === 'step' ? {} : { maxItems: value.most }
      return { type: 'array', minItems: value.least, ...most, items }
    }
  }
}
