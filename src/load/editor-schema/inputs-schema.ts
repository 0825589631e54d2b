import type { JsonSchema } from '../../core/json.ts'
import { schemaFormats } from '../../schema/index.ts'
import { type KeywordValue, schemaTypes, vocabulary } from '../inputs/vocabulary.ts'

const schema: JsonSchema = { $ref: '#/definitions/input' }
const type: JsonSchema = { $ref: '#/definitions/input-type' }
const names: JsonSchema = { type: 'array', items: { type: 'string' }, uniqueItems: true }

/** What the keywords of each kind take. */
const values: Readonly<Record<KeywordValue, JsonSchema>> = {
  anything: {},
  text: { type: 'string' },
  flag: { type: 'boolean' },
  number: { type: 'number' },
  positive: { type: 'number', exclusiveMinimum: 0 },
  count: { type: 'integer', minimum: 0 },
  names,
  list: { type: 'array' },
  some: { type: 'array', minItems: 1 },
  type: {
    anyOf: [type, { type: 'array', items: type }],
  },
  pattern: { type: 'string' },
  format: { type: 'string', enum: schemaFormats },
  reference: { type: 'string' },
  draft: { type: 'string' },
  schema,
  schemas: { type: 'array', minItems: 1, items: schema },
  'schema-map': { type: 'object', additionalProperties: schema },
  'pattern-map': { type: 'object', additionalProperties: schema },
  'schema-or-list': { anyOf: [schema, { type: 'array', items: schema }] },
}

/** Help for the keywords that authors use most. */
const help: Readonly<Record<string, string>> = {
  type: 'Kind of value.',
  title: 'Name for people.',
  description: 'What it is for, shown to people.',
  default: 'Taken where the input is not given.',
  examples: 'Values that would do.',
  enum: 'The values there are.',
  const: 'The only value there is.',
  minLength: 'Shortest text.',
  maxLength: 'Longest text.',
  pattern: 'Regular expression that a text must match somewhere; ^ and $ hold it to the whole.',
  format: 'Known form of a text.',
  minimum: 'Smallest number.',
  maximum: 'Largest number.',
  items: 'What each item of a list is.',
  minItems: 'Shortest list.',
  maxItems: 'Longest list.',
  uniqueItems: 'No item twice.',
  properties: 'The fields of a map, by name.',
  required: 'Names that must be given.',
  additionalProperties: 'What other fields are; false: there are none.',
}

const kinds: Readonly<Record<(typeof schemaTypes)[number], string>> = {
  string: 'A text.',
  integer: 'A whole number.',
  number: 'A number.',
  boolean: 'true or false.',
  array: 'A list; `items` says of what.',
  object: 'A map; `properties` says of what.',
  null: 'null.',
}

/** The JSON Schema of inputs, as far as runbooks have it. */
export const inputsDefinitions: Readonly<Record<string, JsonSchema>> = {
  inputs: {
    type: 'object',
    title: 'inputs',
    additionalProperties: false,
    properties: {
      ...keywords(),
      type: {
        anyOf: [{ const: 'object' }, { type: 'array', items: type }],
        description: 'Inputs are a map.',
      },
      properties: { ...values['schema-map'], description: 'The inputs, by name.' },
      additionalProperties: { ...schema, description: 'false: no inputs but those under properties.' },
    },
  },
  input: {
    title: 'input',
    description: 'What one input takes.',
    type: ['object', 'boolean'],
    additionalProperties: false,
    properties: keywords(),
  },
  'input-type': { enum: schemaTypes, enumDescriptions: schemaTypes.map((type) => kinds[type]) },
}

function keywords(): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    [...vocabulary].map(([keyword, value]) => {
      const description = help[keyword]
      return [keyword, { ...values[value], ...(description === undefined ? {} : { description }) }]
    }),
  )
}
