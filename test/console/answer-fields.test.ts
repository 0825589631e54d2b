import { expect, test } from 'vitest'
import { readAnswerForm } from '../../src/console/server/act-forms.ts'
import type { JsonValue } from '../../src/core/json.ts'

const question = {
  path: 'which',
  message: 'Which?',
  schema: {
    type: 'object',
    required: ['size'],
    properties: {
      size: { type: 'integer' },
      code: { type: 'string' },
      names: { type: 'array', items: { type: 'string' } },
      zones: { type: 'array', items: { enum: ['north', 'south'] } },
      host: { type: 'string' },
      drain: { type: 'boolean' },
    },
  },
  choices: { host: ['web-01', 'web-02'] },
  default: { size: 2 },
}

const cases: readonly (readonly [form: object, value: JsonValue | string])[] = [
  [{}, { size: 2 }],
  [
    { 'set:size': '', 'set:code': '', 'choice:host': '', 'choice:zones': '', 'choice:drain': '' },
    { size: 2 },
  ],
  [
    { 'set:size': ' 3 ', 'set:code': '007', 'set:names': 'a, b' },
    { size: 3, code: '007', names: ['a', 'b'] },
  ],
  [
    { 'choice:host': '1', 'choice:drain': '1', 'choice:zones': ['0', '1'] },
    { size: 2, host: 'web-02', drain: false, zones: ['north', 'south'] },
  ],
  [{ 'choice:zones': '1' }, { size: 2, zones: ['south'] }],
  // A page offers no other field, and no other choice.
  [{ 'set:host': 'web-03', 'choice:size': '0' }, { size: 2 }],
  [{ 'set:other': 'x' }, 'there is no answer "other" any more'],
  [{ 'set:__proto__': '{}' }, 'there is no answer "__proto__" any more'],
  [{ 'choice:host': '2' }, 'answer.host: there is no choice 2'],
  [{ 'choice:host': '-1' }, 'the form cannot be read: -1'],
  [{ 'set:size': '[' }, 'answer.size: '],
]

test.each(cases)('the form %j is read as %j', (fields, value) => {
  const read = () => {
    const form = readAnswerForm({ do: 'answer', step: 'which', shown: '1-0123456789', ...fields })
    return form.value?.(question)
  }
  if (typeof value === 'string') expect(read).toThrow(value)
  else expect(read()).toEqual(value)
})
