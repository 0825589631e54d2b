import { expect, test } from 'vitest'
import { parseValue } from '../../src/load/yaml/index.ts'

const values: readonly (readonly [text: string, value: unknown])[] = [
  ['web-01', 'web-01'],
  ['3', 3],
  ['3.5', 3.5],
  ['"3"', '3'],
  ['true', true],
  ['"yes"', 'yes'],
  ['2026-11-20', '2026-11-20'],
  ['', null],
  ['null', null],
  ['~', null],
  ['[a, 1, {b: c}]', ['a', 1, { b: 'c' }]],
  ['{"a": [1, 2], "b": null}', { a: [1, 2], b: null }],
  ['{\n\t"a": 1\n}', { a: 1 }],
  ['9007199254740991', 9007199254740991],
  ['-9007199254740991', -9007199254740991],
  ['<<', '<<'],
  [
    '{<<: 1, yes: one, "{{ inputs.a }}": "${inputs.a}"}',
    { '<<': 1, yes: 'one', '{{ inputs.a }}': '${inputs.a}' },
  ],
  ['a: #b', { a: null }],
  ['[&a 1, *a]', [1, 1]],
  ['# nothing', null],
  ['['.repeat(60) + ']'.repeat(60), JSON.parse('['.repeat(60) + ']'.repeat(60))],
]

test.each(values)('%j is read as YAML 1.2', (text, value) => {
  expect(parseValue(text)).toEqual({ value })
})

const refused: readonly (readonly [text: string, problem: RegExp, line: number, column: number])[] = [
  ['9007199254740992', /beyond 2\^53/, 1, 1],
  ['-9007199254740992', /beyond 2\^53/, 1, 1],
  ['{a: 1,\n  b: [99999999999999999999]}', /99999999999999999999 is beyond/, 2, 7],
  ['yes', /a text in YAML 1\.2, and was true before/, 1, 1],
  ['a: [1, Off]', /a text in YAML 1\.2, and was false before/, 1, 8],
  ['0x1F', /0x1F is the number 31/, 1, 1],
  ['012', /012 is the number 12/, 1, 1],
  ['version: 3.10', /3\.10 is the number 3\.1/, 1, 10],
  ['3.10', /3\.10 is the number 3\.1/, 1, 1],
  ['1e3', /1e3 is the number 1000/, 1, 1],
  ['{"a": 1.0}', /1\.0 is the number 1/, 1, 7],
  ['{"a": 9007199254740993.0}', /beyond 2\^53/, 1, 7],
  ['{"a": 1, "a": 2}', /"a" stands twice in this map/, 1, 10],
  ['[a', /this \[ is never closed/, 1, 1],
  ['a: 1\n---\nb: 2', /a second document begins here; put everything into the first/, 2, 1],
  ['a: "b', /this " is never closed/, 1, 4],
  ['a: 1\nb', /this is no key/, 2, 1],
  ['a: b: c', /a second ": " in one line/, 1, 4],
  ['*x', /a value that begins with "\*" repeats another/, 1, 1],
  ['!!binary eA==', /is a tag of YAML \("!!binary"\), and Opsbook reads none/, 1, 1],
  ['.inf', /JSON has no number such as \.inf/, 1, 1],
  ['.nan', /JSON has no number such as \.nan/, 1, 1],
  ['1e999', /JSON has no number such as 1e999/, 1, 1],
  ['{[a]: b}', /a key is a text/, 1, 2],
  ['['.repeat(70) + ']'.repeat(70), /more than \d+ maps and lists inside one another/, 1, 64],
]

test.each(refused)('%j is refused', (text, problem, line, column) => {
  expect(parseValue(text)).toMatchObject({ problem: expect.stringMatching(problem), line, column })
})
