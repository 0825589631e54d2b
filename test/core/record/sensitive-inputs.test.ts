import { expect, it } from 'vitest'
import type { JsonObject, JsonSchema, JsonValue } from '../../../src/core/json.ts'
import { sensitiveInputs } from '../../../src/core/record/sensitive-values.ts'

const hidden = { type: 'string', writeOnly: true } as const
const cases: readonly (readonly [string, JsonSchema, JsonValue, readonly string[]])[] = [
  ['none', { properties: { a: { type: 'string' } } }, { a: 'x' }, []],
  ['a property', { properties: { a: hidden, b: { type: 'string' } } }, { a: 'x', b: 'y' }, ['x']],
  ['a password', { properties: { a: { type: 'string', format: 'password' } } }, { a: 'x' }, ['x']],
  ['a number', { properties: { a: { type: 'integer', writeOnly: true } } }, { a: 4711 }, ['4711']],
  ['all under it', { properties: { a: { writeOnly: true } } }, { a: { b: ['x', 7], c: true } }, ['x', '7']],
  ['all inputs', { writeOnly: true }, { a: 'x' }, ['x']],
  ['items', { properties: { a: { items: hidden } } }, { a: ['x', 'y'] }, ['x', 'y']],
  ['items by place', { properties: { a: { items: [{}, hidden] } } }, { a: ['x', 'y'] }, ['y']],
  ['other names', { properties: { a: {} }, additionalProperties: hidden }, { a: 'x', b: 'y' }, ['y']],
  ['names by pattern', { patternProperties: { '^t_': hidden } }, { t_a: 'x' }, ['x']],
  ['an alternative', { properties: { a: { oneOf: [{ type: 'null' }, hidden] } } }, { a: 'x' }, ['x']],
  ['a condition', { else: { properties: { a: hidden } } }, { a: 'x' }, ['x']],
  [
    'a reference',
    { properties: { a: { $ref: '#/definitions/t~1n' } }, definitions: { 't/n': hidden } },
    { a: 'x' },
    ['x'],
  ],
  ['an endless reference', { $ref: '#' }, { a: 'x' }, []],
]

it.each(cases)('finds what is not to be shown: %s', (_, schema, inputs, found) => {
  expect(sensitiveInputs(schema, inputs as JsonObject)).toEqual(found)
})
