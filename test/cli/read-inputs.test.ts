import { expect, test } from 'vitest'
import type { Io } from '../../src/cli/shared/io.ts'
import { readInputs } from '../../src/cli/shared/read-inputs.ts'

const schema = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    either: { type: ['string', 'null'] },
    count: { type: 'integer' },
  },
}
const io = {} as Io

const texts: readonly (readonly [given: string, text: string])[] = [
  ['web-01', 'web-01'],
  ['0001', '0001'],
  ['1e3', '1e3'],
  ['true', 'true'],
  ['null', 'null'],
  ['', ''],
  ['9007199254740993', '9007199254740993'],
  ['error: disk is full # 3', 'error: disk is full # 3'],
  ['[a, b]', '[a, b]'],
  [' spaced ', ' spaced '],
  ['"0001"', '0001'],
  ["'it''s'", "it's"],
  ['"two\\nlines"', 'two\nlines'],
  ['"a" and "b"', '"a" and "b"'],
  ["'it's'", "'it's'"],
  ['a=b', 'a=b'],
  ['"a": "b"', '"a": "b"'],
]
test.each(texts)('where a text is wanted, %j is one', async (given, text) => {
  expect(await readInputs({ input: [`id=${given}`] }, schema, io)).toEqual({ id: text })
})

test('everywhere else a value is read as YAML', async () => {
  const input = ['either="0001"', 'count=3', 'other=[1, a]']
  expect(await readInputs({ input }, schema, io)).toEqual({ either: '0001', count: 3, other: [1, 'a'] })
  expect(await readInputs({ input: ['id=17'] }, undefined, io)).toEqual({ id: 17 })
  await expect(readInputs({ input: ['either=0001'] }, schema, io)).rejects.toThrow('0001 is the number 1')
})
