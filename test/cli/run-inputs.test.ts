import { expect, test } from 'vitest'
import { newFolder, opsbook } from './support/opsbook.ts'

const runbook = `apiVersion: opsbook/v1
name: inputs
inputs:
  properties:
    hosts: { type: array, items: { type: string } }
    grid: { type: array, items: { type: array, items: { enum: [1, 2] } } }
    limits: { type: object, properties: { most: { type: integer } }, additionalProperties: false }
    mode: { enum: [all, some] }
    ok: { type: boolean }
    names: { type: array }
  if: { properties: { mode: { const: all } } }
  then: { properties: { names: false, mode: { const: some } } }
steps:
  - id: catalog
    uses: monit/tools/catalog
    with: { target_locator: web-01 }
`

test('a number of a program that should be a text is not quoted for it: it can have been 3.10', async () => {
  const folder = await newFolder({ 'inputs.yaml': runbook, 'given.json': '{"hosts": [3.10]}' })
  const { code, stderr } = await opsbook(['plan', 'inputs.yaml', '--inputs-file', 'given.json'], { folder })
  expect(code).toBe(2)
  expect(stderr).toContain('hosts[0] must be a text, not 3.1 (quote it as it is meant)')
})

test.each([
  ['hosts=[1,2]', 'hosts[0] must be a text, not 1'],
  ['hosts=[1,2]', 'hosts[1] must be a text, not 2'],
  ['hosts=5', '"hosts" must be a list, not 5'],
  ['grid=[[1],[3]]', 'grid[1][0] must be one of 1, 2'],
  ['limits={most: x}', 'limits.most must be a whole number, not the text "x"'],
  ['names=[a]', '"names" must be left out here'],
  ['mode=all', '"mode" must be some'],
  ['limits={least: 1}', 'limits.least: there is no key "least" in limits'],
  ['ok=maybe', '"ok" must be true or false, not the text "maybe"'],
  ['hots=[a]', 'there is no input "hots" (did you mean "hosts"?)'],
])('of the input %s is said where it is wrong: %s', async (input, said) => {
  const folder = await newFolder({ 'inputs.yaml': runbook })
  const { code, stderr } = await opsbook(['run', 'inputs.yaml', '--sandbox', '--input', input], { folder })
  expect(code).toBe(2)
  expect(
    stderr.split('\n').some((line) => line.startsWith(`  ${said}`)),
    stderr,
  ).toBe(true)
})

test('null into a required input is called null', async () => {
  const folder = await newFolder({
    'one.yaml': `apiVersion: opsbook/v1
name: one
inputs: { required: [host], properties: { host: { type: string } } }
steps: [{ id: a, uses: core/log, with: { message: "\${{ inputs.host }}" } }]
`,
    'inputs.yaml': 'host: null\n',
  })
  const { code, stderr } = await opsbook(['run', 'one.yaml', '--inputs-file', 'inputs.yaml'], { folder })
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining('"host" must be a text, not null'),
  })
})

test.each([
  [
    'one.test.yaml',
    'runbook: ./one.yaml\ntests: [{ name: a }]\n',
    'it holds tests: "opsbook test" runs them',
  ],
  ['opsbook.yaml', 'data-dir: data\n', 'it is the configuration of the project; name a runbook'],
])('run of %s says what the file is, once', async (file, text, said) => {
  const folder = await newFolder({ [file]: text })
  const { code, stderr } = await opsbook(['run', file], { folder })
  expect(code).toBe(2)
  expect(stderr).toContain(said)
  expect(stderr.match(/^\S+ error /gm)).toHaveLength(1)
})

test('an unknown input is refused by every command that takes inputs, unless the schema allows others', async () => {
  const body = 'steps:\n  - { id: a, uses: core/log, with: { message: hello } }\n'
  const folder = await newFolder({
    'silent.yaml': `apiVersion: opsbook/v1\nname: silent\ninputs: { properties: { a: { default: 1 } } }\n${body}`,
    'open.yaml': `apiVersion: opsbook/v1\nname: open\ninputs: { additionalProperties: true }\n${body}`,
  })
  const place = ['--data-dir', 'data', '-q']
  for (const words of [
    ['run', 'silent.yaml', ...place],
    ['plan', 'silent.yaml'],
  ]) {
    const { code, stderr } = await opsbook([...words, '-i', 'b=1'], { folder })
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('there is no input "b"') })
  }
  expect((await opsbook(['run', 'open.yaml', ...place, '-i', 'b=1'], { folder })).code).toBe(0)
  expect((await opsbook(['run', 'silent.yaml', ...place], { folder })).code).toBe(0)
})

test('an input that makes a wrong duration is refused before anything is sent', async () => {
  const folder = await newFolder({
    'pause.yaml':
      'apiVersion: opsbook/v1\nname: pause\ninputs: { properties: { pause: { type: string, default: 1s } } }\nsteps:\n' +
      '  - { id: look, uses: rum/application/infos, with: { application_ids: [a] } }\n' +
      '  - { id: rest, uses: core/wait, with: { for: "${{ inputs.pause }}" } }\n' +
      '  - { id: ask, uses: core/approve, with: { message: Go on?, timeout: "${{ inputs.pause }}" } }\n' +
      '  - { id: late, uses: core/wait, with: { until: "${{ inputs.pause }}" }, if: "${{ inputs.pause != \'1s\' }}" }\n',
  })
  const words = ['run', 'pause.yaml', '--sandbox', '--data-dir', 'data', '-q', '-i', 'pause=soon']
  const { code, stderr } = await opsbook(words, { folder })
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining(
      'rest.with.for must be a duration such as 30m, at most 36500d, not "soon"; ask.with.timeout must be a duration such as 30m, at most 36500d, not "soon"; ' +
        'late.with.until must be a time such as 2026-01-31T08:00:00Z, not "soon"; nothing was sent',
    ),
  })
  expect((await opsbook(['runs', '--data-dir', 'data'], { folder })).stdout).not.toContain('pause')
})

test('names an expression on inputs that makes too much, in a sentence', async () => {
  const folder = await newFolder({
    'long.yaml':
      'apiVersion: opsbook/v1\nname: long\ninputs: { required: [a], properties: { a: { type: string } } }\nsteps:\n' +
      '  - { id: x, uses: core/set, with: { b: "${{ ' +
      Array(20).fill('inputs.a').join(' + ') +
      ' }}" } }\n',
    'in.json': JSON.stringify({ a: 'a'.repeat(1_000_000) }),
  })
  const words = ['run', 'long.yaml', '--sandbox', '--data-dir', 'data', '--inputs-file', 'in.json']
  const { code, stderr } = await opsbook(words, { folder })
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining(
      'x.with cannot be evaluated: the expression makes too much data: "inputs.a + ',
    ),
  })
})
