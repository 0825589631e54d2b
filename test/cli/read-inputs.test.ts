import { expect, test } from 'vitest'
import type { Io } from '../../src/cli/shared/io.ts'
import { readInputs } from '../../src/cli/shared/read-inputs.ts'

const schema = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    either: { type: ['string', 'null'] },
    count: { type: 'integer' },
    load: { type: ['number', 'null'] },
    loads: { type: 'array', items: { enum: [0.5, 1] } },
    version: { enum: ['1.10', '2'] },
    versions: { type: 'array', items: { type: 'string' } },
    versionOrCount: { type: ['string', 'number'] },
    any: {},
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

test('a number may be spelled in any way where no text can be meant', async () => {
  const input = ['count=3.0', 'load=1e3', 'loads=[0.50, 1.0]', 'version=1.10']
  expect(await readInputs({ input }, schema, io)).toEqual({
    count: 3,
    load: 1000,
    loads: [0.5, 1],
    version: '1.10',
  })
})

test.each(['versions=[1.10]', 'versionOrCount=1.10', 'any=1.10', 'any={"a": 1.10}', 'other=1.10'])(
  'elsewhere another spelling than that of JSON is refused: %s',
  async (given) => {
    await expect(readInputs({ input: [given] }, schema, io)).rejects.toThrow('1.10 is the number 1.1')
  },
)

test('everywhere else a value is read as YAML', async () => {
  const input = ['either="0001"', 'count=3', 'other=[1, a]']
  expect(await readInputs({ input }, schema, io)).toEqual({ either: '0001', count: 3, other: [1, 'a'] })
  expect(await readInputs({ input: ['id=17'] }, undefined, io)).toEqual({ id: 17 })
  await expect(readInputs({ input: ['either=0001'] }, schema, io)).rejects.toThrow('0001 is the number 1')
})
