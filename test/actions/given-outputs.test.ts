import { expect, test } from 'vitest'
import { givenOutputProblems } from '../../src/actions/given-outputs.ts'
import type { JsonObject, JsonSchema } from '../../src/core/json.ts'

const text: JsonSchema = { type: 'string' }
const open: JsonSchema = { type: 'object' }
const made: JsonSchema = {
  type: 'object',
  required: ['id', 'host'],
  additionalProperties: false,
  properties: {
    id: text,
    token: text,
    tags: { type: 'array', items: text },
    host: {
      type: 'object',
      required: ['name', 'port'],
      properties: { name: text, port: { type: ['integer', 'null'] } },
    },
    state: { anyOf: [{ type: 'object', required: ['code'], properties: { code: text } }, { type: 'null' }] },
  },
}

const cases: readonly [name: string, schema: JsonSchema, outputs: JsonObject, problems: readonly string[]][] =
  [
    ['what fits', made, { id: 'a', tags: ['x'], host: { name: 'web', port: 80 } }, []],
    ['nothing', made, {}, []],
    ['a list for a text', made, { id: [1, 2] }, ['id must be a string, not an array']],
    ['a number for a text', made, { id: 5 }, ['id must be a string, not a number']],
    ['null for what later steps read', made, { id: null }, ['id must be a string, not null']],
    ['null for what no step reads', made, { token: null }, []],
    ['a wrong item', made, { tags: ['x', 1] }, ['tags[1] must be a string, not a number']],
    ['a wrong part', made, { host: { port: '80' } }, ['host.port must be an integer or null, not a string']],
    ['a part alone', made, { host: { name: 'web' } }, []],
    ['a part alone of an alternative', made, { state: {} }, []],
    ['no alternative', made, { state: { code: 5 } }, ['state.code must be a string, not a number']],
    ['an unknown name, which is not its subject', made, { other: 5 }, []],
    ['a schema that says nothing', open, { id: [1, 2] }, []],
    ['an unsound schema', { type: 'object', properties: { id: { type: 'file' } } }, { id: 5 }, []],
  ]

test.each(cases)('%s', (_, output, outputs, problems) => {
  const found = givenOutputProblems({ output }, outputs, ['id'])
  expect(found.map(({ path, message }) => `${path} ${message}`).slice(0, 1)).toEqual(problems)
})
