/** The fields of a form that is made from a schema: what they are, and how what was typed is read. */
import { expect, test } from 'vitest'
import { fieldsOf } from '../../src/console/form-fields.ts'
import { limitsText } from '../../src/console/limits-text.ts'
import { readForm } from '../../src/console/server/read-form.ts'
import type { JsonObject, JsonValue } from '../../src/core/json.ts'

/** What is typed is a text, or the positions of choices; `read`: undefined for nothing, or what it is refused with. */
type Case = readonly [
  schema: JsonObject,
  kind: string,
  typed: string | readonly number[],
  read?: JsonValue | Error,
]

const titled = {
  oneOf: [
    { const: 1, title: 'one' },
    { const: 2, title: 'two' },
  ],
}
const letters = { type: 'array', items: { type: 'string', enum: ['a', 'b', 'c'] } }
const time = '2026-11-23T08:00:00Z'

const cases: readonly Case[] = [
  [{ type: 'string' }, 'text', '0001', '0001'],
  [{ type: 'string' }, 'text', ''],
  [{ type: 'string' }, 'text', '""', ''],
  [{ type: 'string', maxLength: 4000 }, 'long-text', 'a\r\nb', 'a\nb'],
  [{ type: 'string', format: 'date' }, 'date', '2026-11-23', '2026-11-23'],
  [{ type: 'string', format: 'date-time' }, 'text', time, time],
  [{ type: 'integer' }, 'number', ' 3 ', 3],
  [{ type: 'number' }, 'number', '1.5', 1.5],
  [{ type: 'integer' }, 'number', '[', new Error('input x: ')],
  [{ type: 'boolean' }, 'choice', [1], false],
  [{ type: 'string', enum: ['a', 'b'] }, 'choice', [1], 'b'],
  [{ enum: ['a', 'b'] }, 'choice', []],
  [{ enum: ['a', 'b'] }, 'choice', [2], new Error('input x: there is no choice 2')],
  [{ const: 7 }, 'choice', [0], 7],
  [titled, 'choice', [1], 2],
  [letters, 'choices', [0, 2], ['a', 'c']],
  [{ type: 'array', items: { type: 'string' } }, 'list', 'a, b', ['a', 'b']],
  [{ type: 'array', items: { type: 'integer' } }, 'list', '1, 2', [1, 2]],
  [{ type: 'array', items: { type: 'object' } }, 'yaml', '[{ a: 1 }]', [{ a: 1 }]],
  [{ type: 'object', additionalProperties: true, properties: { a: {} } }, 'yaml', 'a: 1', { a: 1 }],
  [{ oneOf: [{ type: 'string' }, { type: 'integer' }] }, 'yaml', '5', 5],
  [{}, 'yaml', 'null', null],
]

for (const [schema, kind, typed, read] of cases)
  test(`${JSON.stringify(schema)} is filled in as ${kind}: ${JSON.stringify(typed)}`, () => {
    const whole = { type: 'object', properties: { x: schema } }
    expect(fieldsOf(whole)).toMatchObject([{ name: 'x', kind }])
    const sent =
      typeof typed === 'string' ? { texts: { x: typed }, choices: {} } : { texts: {}, choices: { x: typed } }
    const readHere = () => readForm('input', fieldsOf(whole), sent)
    if (read instanceof Error) expect(readHere).toThrow(read.message)
    else expect(readHere()).toEqual(read === undefined ? {} : { x: read })
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
  expect(readForm('input', fieldsOf(nested), { texts, choices: {} })).toEqual({
    target: { host: 'web-01', port: 2222 },
  })
})

test('a field that the schema does not have any more is refused, and not left out', () => {
  const old = { texts: { gone: 'x' }, choices: {} }
  expect(() => readForm('input', fieldsOf(nested), old)).toThrow('there is no input "gone" any more')
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
