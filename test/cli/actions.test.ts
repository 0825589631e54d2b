import { expect, test } from 'vitest'
import { createActions } from '../../src/actions/index.ts'
import { builtinActions } from '../../src/core/builtins/definitions.ts'
import { loadRunbook } from '../../src/load/index.ts'
import { opsbook } from './support/opsbook.ts'

const actions = createActions([], { commands: { local: true } })
const all = [...builtinActions, ...actions]
const names = all.map(({ name }) => name)

test('the list has a line for each action, with safety and limits', async () => {
  const { code, stdout } = await opsbook(['actions'])
  expect(code).toBe(0)
  for (const { name, summary, safety, safetyBy, isLocal } of all) {
    const word = isLocal ? 'local' : safetyBy ? `by ${safetyBy.by}` : safety
    expect(stdout).toMatch(new RegExp(`^${name} +${word} .*${summary}$`, 'm'))
  }
  const listed = stdout.match(/^[a-z]\S*\/\S+/gm)
  expect(listed).toEqual(names.toSorted())
  expect(stdout).toMatch(/^safari\/session\/export .* 20\/s, 200\/min, 1000\/day /m)
})

test.each(names)('%s: the example is a step as it stands', async (name) => {
  const { code, stdout } = await opsbook(['actions', name])
  expect(code).toBe(0)
  const example = stdout.slice(stdout.indexOf('Example\n') + 'Example\n'.length)
  const head = `apiVersion: opsbook/v1
name: x
inputs: { type: object, required: [count], properties: { count: { type: integer } } }
steps:
  - { id: checks, uses: monit/tools/invoke, with: { target_locator: web-01, tools: [{ tool: os.overview }] } }
`
  const readRunbook = (): string =>
    `apiVersion: opsbook/v1\nname: y\nsteps: [{ id: a, uses: core/log, with: { message: a } }]\n`
  const { diagnostics } = loadRunbook(head + example, actions, { file: 'main.yaml', readRunbook })
  expect(diagnostics).toEqual([])
})

test.each(names)('%s as a document', async (name) => {
  const { code, stdout } = await opsbook(['actions', name, '--output', 'json'])
  expect(code).toBe(0)
  const action = all.find((candidate) => candidate.name === name)
  expect(JSON.parse(stdout)).toMatchObject({
    name,
    safety: action?.safety,
    input: action?.input,
    output: action?.output,
  })
})

const details: readonly (readonly [name: string, said: readonly (string | RegExp)[]])[] = [
  [
    'monit/tools/invoke',
    [
      'read: changes nothing',
      'Any valid key',
      '10/s, 600/min, for all keys of the account together',
      'any number of tools: one call takes 8',
      'at least 35s',
      /tools\[\]\.params +map/,
    ],
  ],
  [
    'rum/application/create',
    [
      'create: creates something new; never repeated',
      /client_token .*Sensitive/,
      /application_name +text, 1 to 40, required/,
      /type +text, required +Platform of the application\. One of: browser \| ios/,
      /links\.systems\[\]\.event_types +list of text, required .*One of: crash \| error/,
    ],
  ],
  [
    'safari/a2a-agent/create',
    ['for each key separately', /auth_config +map .*Sensitive/, /auth_type +none \| api_key \| bearer/],
  ],
  [
    'safari/session/export',
    ['1000/day', 'name it with save-as', 'TruncatedExport: ', 'save-as: session.ndjson'],
  ],
  [
    'core/approve',
    ['local: sends nothing itself', /on-timeout +reject \| approve \| fail/, 'ApprovalRejected: '],
  ],
  [
    'core/http',
    [
      'by method: read for GET, HEAD, OPTIONS; idempotent for PUT, DELETE; otherwise create',
      /secret-headers\.\*\.secret +text/,
    ],
  ],
  ['rum/issue/preset-severity/rules/disable', ['idempotent: doing it twice has the effect of doing it once']],
]

test.each(details)('%s is described in words', async (name, said) => {
  const { stdout } = await opsbook(['actions', name])
  for (const part of said) {
    if (typeof part === 'string') expect(stdout).toContain(part)
    else expect(stdout).toMatch(part)
  }
})
