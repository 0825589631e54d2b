import { expect, test } from 'vitest'
import { parseValue } from '../../src/cli/shared/read-inputs.ts'

const values: readonly (readonly [text: string, value: unknown])[] = [
  ['web-01', 'web-01'],
  ['3', 3],
  ['3.5', 3.5],
  ['"3"', '3'],
  ['true', true],
  ['yes', 'yes'],
  ['no', 'no'],
  ['2026-11-20', '2026-11-20'],
  ['0x1F', 31],
  ['012', 12],
  ['', null],
  ['null', null],
  ['~', null],
  ['[a, 1, {b: c}]', ['a', 1, { b: 'c' }]],
  ['{"a": [1, 2], "b": null}', { a: [1, 2], b: null }],
  ['{\n\t"a": 1\n}', { a: 1 }],
  ['9007199254740991', 9007199254740991],
  ['-9007199254740991', -9007199254740991],
  ['<<', '<<'],
]

test.each(values)('%j is read as YAML 1.2', (text, value) => {
  expect(parseValue(text)).toEqual({ value })
})

const refused: readonly (readonly [text: string, problem: RegExp, line: number, column: number])[] = [
  ['9007199254740992', /beyond 2\^53/, 1, 1],
  ['-9007199254740992', /beyond 2\^53/, 1, 1],
  ['{a: 1,\n  b: [99999999999999999999]}', /99999999999999999999 is beyond/, 2, 7],
  ['{"a": 1, "a": 2}', /unique/, 1, 10],
  ['[a', /must end with a \]/, 1, 3],
  ['*x', /[Uu]nresolved alias/, 1, 1],
  ['!!binary eA==', /[Uu]nresolved tag|tag/, 1, 1],
  ['.inf', /not a JSON number/, 1, 1],
  ['.nan', /not a JSON number/, 1, 1],
  ['1e999', /not a JSON number/, 1, 1],
  ['{[a]: b}', /plain text/, 1, 1],
]

test.each(refused)('%j is refused', (text, problem, line, column) => {
  expect(parseValue(text)).toEqual({ problem: expect.stringMatching(problem), line, column })
})
