import { expect, test } from 'vitest'
import { invalidJsonAt } from '../../src/cli/shared/invalid-json-at.ts'
import { newFolder, opsbook } from './support/opsbook.ts'

const runbook = `apiVersion: opsbook/v1
name: one
inputs: { properties: { host: {} } }
steps: [{ id: say, uses: core/log, with: { message: a } }]
`

const refused: readonly (readonly [file: string, text: string, said: string])[] = [
  ['a.yaml', 'host: [\n', 'a.yaml:1:7: this [ is never closed\n  close it with ]\n'],
  ['a.yaml', 'host: a\n---\nhost: b\n', 'a.yaml:2:1: a second document begins here'],
  ['a.yaml', 'host: a\nhost: b\n', 'a.yaml:2:1: "host" stands twice in this map; the first is in line 1'],
  ['a.yaml', 'host: { <<: { a: 1 } }\n', 'a.yaml:1:9: merge keys of YAML are not read\n  write the keys out'],
  ['a.yaml', 'host: { id: 0123 }\n', 'a.yaml:1:13: 0123 is the number 123, and a text could be meant'],
  ['a.yaml', 'host: a\n\tport: b\n', 'a tab is no indentation in YAML\n  indent with spaces\n'],
  ['a.json', '{"host": }', 'a.json:1:10: the file is not valid JSON: this cannot stand here\n'],
  ['a.JSON', 'host: a', 'a.JSON:1:1: the file is not valid JSON'],
  ['a.json', '{\n  "host": 1,\n}', 'a.json:3:1: the file is not valid JSON'],
  ['a.json', '{"host": 1, "host": 2}', 'a.json:1:13: "host" stands twice in this map'],
  ['a.json', '{"host": 9007199254740993}', 'a.json:1:10: 9007199254740993 is beyond 2^53'],
]

test.each(refused)('%s with %j is refused with its place', async (file, text, said) => {
  const folder = await newFolder({ [file]: text, 'one.yaml': runbook })
  const { code, stdout, stderr } = await opsbook(['plan', 'one.yaml', '--inputs-file', file], { folder })
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(said)
})

// `|` stands where the text stops being JSON.
const broken = [
  '|',
  '  |',
  '{|',
  '[1, |]',
  '[1 |2]',
  '{"a"|}',
  '{"a": |}',
  '{"a": 1, |}',
  '{"a": 1 |"b": 2}',
  "{|'a': 1}",
  '{|a: 1}',
  '{"a": |01}',
  '{"a": |1.}',
  '{"a": |NaN}',
  '{"a": |"\\x"}',
  '{"a": |"\n"}',
  '{"a": [1|}',
  '[1]|]',
  '{} |{}',
  '"a" |// b',
  '[|trues]',
]
test.each(broken)('%j is JSON up to the mark', (marked) => {
  const text = marked.replace('|', '')
  expect(() => JSON.parse(text)).toThrow(SyntaxError)
  expect(invalidJsonAt(text)).toBe(marked.indexOf('|'))
})
