import { createActions, loadRunbook } from 'opsbook'
import { expect, it } from 'vitest'
import { createPlanIndex } from '../../src/core/record/plan-index.ts'
import { isAnswerRead, outputsRead } from '../../src/project/records/index.ts'

const actions = createActions()
const create = actions.find(({ name }) => name === 'rum/application/create')
const make = 'uses: rum/application/create, with: { application_name: a, type: browser, team_id: 1 }'
const say = (text: string): string => `- { id: say, uses: core/log, with: { message: "${text}" } }`

it.each([
  ['nothing', [`- { id: app, ${make} }`], []],
  ['a field', [`- { id: app, ${make} }`, say('${{ steps.app.outputs.application_id }}')], ['application_id']],
  [
    'two fields in one expression',
    [
      `- { id: app, ${make} }`,
      say('${{ steps.app.outputs.application_id + steps.app.outputs.client_token }}'),
    ],
    ['application_id', 'client_token'],
  ],
  [
    'a guarded field',
    [`- { id: app, ${make} }`, say("${{ default(steps.app.outputs.client_token, '') }}")],
    [],
  ],
  [
    'its own outputs',
    [
      `- { id: app, ${make}, outputs: { tok: "\${{ outputs.client_token }}" } }`,
      say('${{ steps.app.outputs.tok }}'),
    ],
    ['client_token'],
  ],
  [
    'an item of a loop',
    [
      `- { id: app, for-each: { items: [1, 2] }, ${make} }`,
      say(
        "${{ has(steps.app.outputs.items[1].outputs) ? steps.app.outputs.items[1].outputs.client_token : '' }}",
      ),
    ],
    ['client_token'],
  ],
])('what later steps read of a create: %s', (_, steps, names) => {
  const text = `apiVersion: opsbook/v1\nname: one\nsteps:\n${steps.map((step) => `  ${step}\n`).join('')}`
  const { plan, diagnostics } = loadRunbook(text, actions)
  const step = plan && createPlanIndex(plan).ownerOf('app')?.step
  if (!create || !plan || step?.kind !== 'uses') throw new Error(JSON.stringify(diagnostics))
  expect(outputsRead(plan, step, create)).toEqual(names)
})

it.each([
  [
    'its counts',
    "${{ string(steps.app.outputs.succeeded) + ' of ' + string(steps.app.outputs.total) }}",
    false,
  ],
  ['the status of an item', '${{ steps.app.outputs.items[0].status }}', false],
  ['its failures', '${{ string(size(steps.app.outputs.failures)) }}', false],
  ['all items', '${{ string(size(steps.app.outputs.items)) }}', true],
  [
    'the answer of an item',
    "${{ has(steps.app.outputs.items[1].outputs) ? steps.app.outputs.items[1].outputs.client_token : '' }}",
    true,
  ],
])(
  'whether a decision about an item of a loop needs outputs, where later steps read %s',
  (_, text, isRead) => {
    const loop = `- { id: app, for-each: { items: [1, 2] }, ${make} }`
    const whole = `apiVersion: opsbook/v1\nname: one\nsteps:\n  ${loop}\n  ${say(text)}\n`
    const { plan, diagnostics } = loadRunbook(whole, actions)
    const step = plan && createPlanIndex(plan).ownerOf('app')?.step
    if (!plan || step?.kind !== 'uses') throw new Error(JSON.stringify(diagnostics))
    expect(isAnswerRead(plan, step)).toBe(isRead)
  },
)
