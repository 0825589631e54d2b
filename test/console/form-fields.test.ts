/** The fields of a form that is made from a schema: what they are, and how what was typed is read. */
import { expect, test } from 'vitest'
import { readForm } from '../../src/cli/console/acts/read-form.ts'
import { limitsText } from '../../src/console/limits-text.ts'
import { fieldsOf } from '../../src/console/server/index.ts'
import type { JsonObject, JsonValue } from '../../src/core/json.ts'

interface Case {
  readonly schema: JsonObject
  readonly kind: string
  /** A text, or the positions of choices. */
  readonly typed: string | readonly number[]
  /** What it is read as; undefined: nothing. */
  readonly read?: JsonValue
  readonly refused?: string
}

const titled = {
  oneOf: [
    { const: 1, title: 'one' },
    { const: 2, title: 'two' },
  ],
}

const cases: readonly Case[] = [
  { schema: { type: 'string' }, kind: 'text', typed: '0001', read: '0001' },
  { schema: { type: 'string' }, kind: 'text', typed: '' },
  { schema: { type: 'string' }, kind: 'text', typed: '""', read: '' },
  { schema: { type: 'string', maxLength: 4000 }, kind: 'long-text', typed: 'a\r\nb', read: 'a\nb' },
  { schema: { type: 'string', format: 'date' }, kind: 'date', typed: '2026-11-23', read: '2026-11-23' },
  {
    schema: { type: 'string', format: 'date-time' },
    kind: 'text',
    typed: '2026-11-23T08:00:00Z',
    read: '2026-11-23T08:00:00Z',
  },
  { schema: { type: 'integer' }, kind: 'number', typed: ' 3 ', read: 3 },
  { schema: { type: 'number' }, kind: 'number', typed: '1.5', read: 1.5 },
  { schema: { type: 'integer' }, kind: 'number', typed: '[', refused: 'input x: ' },
  { schema: { type: 'boolean' }, kind: 'choice', typed: [1], read: false },
  { schema: { type: 'string', enum: ['a', 'b'] }, kind: 'choice', typed: [1], read: 'b' },
  { schema: { enum: ['a', 'b'] }, kind: 'choice', typed: [] },
  { schema: { enum: ['a', 'b'] }, kind: 'choice', typed: [2], refused: 'input x: there is no choice 2' },
  { schema: { const: 7 }, kind: 'choice', typed: [0], read: 7 },
  { schema: titled, kind: 'choice', typed: [1], read: 2 },
  {
    schema: { type: 'array', items: { type: 'string', enum: ['a', 'b', 'c'] } },
    kind: 'choices',
    typed: [0, 2],
    read: ['a', 'c'],
  },
  { schema: { type: 'array', items: { type: 'string' } }, kind: 'list', typed: 'a, b', read: ['a', 'b'] },
  { schema: { type: 'array', items: { type: 'integer' } }, kind: 'list', typed: '1, 2', read: [1, 2] },
  {
    schema: { type: 'array', items: { type: 'object' } },
    kind: 'yaml',
    typed: '[{ a: 1 }]',
    read: [{ a: 1 }],
  },
  {
    schema: { type: 'object', additionalProperties: true, properties: { a: {} } },
    kind: 'yaml',
    typed: 'a: 1',
    read: { a: 1 },
  },
  { schema: { oneOf: [{ type: 'string' }, { type: 'integer' }] }, kind: 'yaml', typed: '5', read: 5 },
  { schema: {}, kind: 'yaml', typed: 'null', read: null },
]

test.each(cases)('$schema is filled in as $kind: $typed', ({ schema, kind, typed, read, refused }) => {
  const whole = { type: 'object', properties: { x: schema } }
  expect(fieldsOf(whole)).toMatchObject([{ name: 'x', kind }])
  const sent =
    typeof typed === 'string' ? { texts: { x: typed }, choices: {} } : { texts: {}, choices: { x: typed } }
  const readHere = () => readForm('input', whole, sent)
  if (refused === undefined) expect(readHere()).toEqual(read === undefined ? {} : { x: read })
  else expect(readHere).toThrow(refused)
})

const nested = {
  type: 'object',
  required: ['target'],
  properties: {
    target: {
      type: 'object',
      required: ['host'],
      properties: { host: { type: 'string' }, port: { type: 'integer', default: 22 } },
    },
    other: { type: 'object', required: ['host'], properties: { host: { type: 'string' } } },
  },
}

test('an object has a field for each member, which is needed where its object is', () => {
  expect(fieldsOf(nested)).toMatchObject([
    { name: 'target.host', isRequired: true },
    { name: 'target.port', isRequired: false, usual: 22 },
    { name: 'other.host', isRequired: false },
  ])
  const texts = { 'target.host': 'web-01', 'target.port': '2222', 'other.host': '' }
  expect(readForm('input', nested, { texts, choices: {} })).toEqual({
    target: { host: 'web-01', port: 2222 },
  })
})

test('a field that the schema does not have any more is refused, and not left out', () => {
  const old = { texts: { gone: 'x' }, choices: {} }
  expect(() => readForm('input', nested, old)).toThrow('there is no input "gone" any more')
})

test.each([
  [{ type: 'string', writeOnly: true }],
  [{ type: 'string', format: 'password' }],
  [{ type: 'object', writeOnly: true, properties: { pin: { type: 'string' } } }],
])('what is typed into %j is never sent back', (schema) => {
  expect(fieldsOf({ type: 'object', properties: { x: schema } })).toMatchObject([{ isSecret: true }])
})

test.each<readonly [JsonObject, string]>([
  [{ type: 'string' }, ''],
  [{ type: 'integer', minimum: 1, maximum: 5 }, '1 to 5'],
  [{ minimum: 0 }, 'at least 0'],
  [{ maximum: 0 }, 'at most 0'],
  [
    { exclusiveMinimum: 0, exclusiveMaximum: 1, multipleOf: 0.25 },
    'more than 0, less than 1, a multiple of 0.25',
  ],
  [{ minLength: 3, maxLength: 80 }, '3 to 80 characters'],
  [{ minLength: 0, maxLength: 1 }, 'at most 1 character'],
  [{ minLength: 4, maxLength: 4 }, 'exactly 4 characters'],
  [{ pattern: '^v[0-9]+$' }, 'matches ^v[0-9]+$'],
  [{ format: 'email' }, 'an email address'],
  [{ format: 'ipv4' }, 'in the format ipv4'],
  [{ format: 'date' }, ''],
  [
    { type: 'array', minItems: 1, uniqueItems: true, items: { maxLength: 20 } },
    'at least 1 item, no item twice, each item: at most 20 characters',
  ],
])('%j is limited to: %s', (schema, text) => {
  expect(limitsText(schema)).toBe(text)
})
