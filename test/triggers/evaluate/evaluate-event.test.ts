import { readFileSync } from 'node:fs'
import { type JsonValue, loadRunbook } from 'opsbook'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { evaluateEvent } from '../../../src/triggers/evaluate/evaluate-event.ts'
import type { TriggeredRunbook } from '../../../src/triggers/evaluate/read-trigger.ts'

interface EvaluationCase {
  readonly about: string
  readonly triggers: string
  readonly event: JsonValue
  readonly wants: readonly object[]
}

const file = new URL('../../cases/triggers/evaluations.yaml', import.meta.url)
const cases = parse(readFileSync(file, 'utf8')) as readonly EvaluationCase[]

describe('what triggers make of an event', () => {
  it.each(cases)('$about', ({ triggers, event, wants }) => {
    const { candidates } = evaluateEvent(
      { hook: 'here', id: 'e', type: 'incident', receivedAtMs: 0, body: event },
      { runbooks: [runbookWith(triggers)], actions: [] },
    )
    expect(
      candidates.map((candidate) => {
        const { runbook: _, trigger: __, plan: ___, ...rest } = { plan: undefined, ...candidate }
        return rest
      }),
    ).toEqual(wants.map((want) => ('because' in want ? expect.objectContaining(want) : want)))
  })
})

it('what is recorded is masked, what a run starts with is not', () => {
  const text = `
    - type: incident
      with: { host: "\${{ event.host }}" }
    - type: incident
      where: \${{ event.host == 'x' }}
      with: { host: x }`
  const mask = <T extends JsonValue>(value: T): T =>
    JSON.parse(JSON.stringify(value).replaceAll('s3cret', '(masked)')) as T
  const evaluation = evaluateEvent(
    { hook: 'here', id: 'e', type: 'incident', receivedAtMs: 0, body: { host: 's3cret' } },
    { runbooks: [runbookWith(text)], actions: [], mask },
  )
  const [first, second] = evaluation.candidates
  expect(first).toMatchObject({ inputs: { host: 's3cret' } })
  expect(JSON.stringify([second, evaluation.event])).not.toContain('s3cret')
})

it('what is called a secret is not recorded, however deep, and triggers decide on it all the same', () => {
  const text = `
    - type: incident
      where: \${{ event.data.token == 'canary-1' }}
      with: { host: "\${{ event.data.login.password }}" }
    - type: incident
      where: \${{ event.data.token == 'x' && event.data.login.password == 'x' && event.data.credentials.key == 'x' }}
      with: { host: x }
    - type: incident
      with: { host: x, level: "\${{ event.data.host }}", api_key: "\${{ event.data.apiKeys[0] }}" }
    - type: incident
      with: { host: "\${{ event.data.login.password.first }}" }`
  const data = {
    host: 'web-01',
    token: 'canary-1',
    login: { user: 'ada', password: 'canary-2' },
    apiKeys: ['canary-3', 7],
    credentials: { key: 'canary-4' },
  }
  const { event, candidates } = evaluateEvent(
    { hook: 'here', id: 'e', type: 'incident', receivedAtMs: 0, body: { data } },
    { runbooks: [runbookWith(text)], actions: [] },
  )
  const [first, ...others] = candidates
  expect(first).toMatchObject({ inputs: { host: 'canary-2' } })
  expect(others.map((one) => 'because' in one && one.because)).toEqual([
    'where_false',
    'inputs_invalid',
    'mapping_failed',
  ])
  expect(event.body).toEqual({
    data: {
      host: 'web-01',
      token: '(masked)',
      login: { user: 'ada', password: '(masked)' },
      apiKeys: ['(masked)', '(masked)'],
      credentials: { key: '(masked)' },
    },
  })
  expect(JSON.stringify([event, others])).not.toContain('canary')
})

it('what a failed expression repeats of a secret is not recorded, nor what a run is remembered by', () => {
  const text = `
    - type: incident
      with: { host: "\${{ event.token }}", level: "\${{ number(event.token) }}" }
    - type: incident
      dedupe-key: host of \${{ event.token }}
      cooldown: { key: "\${{ event.token }}", for: 1m }
      with: { host: x }`
  const evaluated = (token: string, note = '') =>
    evaluateEvent(
      { hook: 'here', id: 'e', type: 'incident', receivedAtMs: 0, body: { token, note } },
      { runbooks: [runbookWith(text)], actions: [] },
    )
  const evaluation = evaluated('canary 1', 'login canary 1')
  const [first, second] = evaluation.candidates
  expect(first).toMatchObject({
    because: 'mapping_failed',
    message: expect.stringContaining('"(masked)" is not'),
  })
  expect(second).toMatchObject({ dedupeKey: expect.stringMatching(/^host of \(masked\) [0-9a-f]{16}$/) })
  expect(JSON.stringify([first, { ...second, plan: 0 }, evaluation.event])).not.toContain('canary')
  // The same token is the same key, and another one is another.
  const keyOf = ({ candidates: [, one] }: ReturnType<typeof evaluateEvent>) =>
    one && 'dedupeKey' in one && one.dedupeKey
  expect(keyOf(evaluated('canary 1'))).toBe(keyOf(evaluation))
  expect(keyOf(evaluated('canary 2'))).not.toBe(keyOf(evaluation))
})

it('an event id that holds a secret is recorded with a hash in its place', () => {
  const idOf = (id: string, token: string) =>
    evaluateEvent(
      { hook: 'here', id, type: 'incident', receivedAtMs: 0, body: { token } },
      { runbooks: [], actions: [] },
    ).event.id
  expect(idOf('id-canary-1', 'canary-1')).toMatch(/^id-\(masked\) [0-9a-f]{16}$/)
  expect(idOf('id-canary-1', 'canary-1')).toBe(idOf('id-canary-1', 'canary-1'))
  expect(idOf('id-canary-2', 'canary-2')).not.toBe(idOf('id-canary-1', 'canary-1'))
  expect(idOf('id-1', 'canary-1')).toBe('id-1')
})

it('no reason and no key contains sensitive inputs', () => {
  const text = `
    - type: incident
      with: { host: x, pass: "\${{ event.text }}", level: "\${{ event.text }}" }
    - type: incident
      dedupe-key: "\${{ event.text }}"
      with: { host: x, pass: "\${{ event.text }}" }`
  const { candidates } = evaluateEvent(
    { hook: 'here', id: 'e', type: 'incident', receivedAtMs: 0, body: { text: 'canary-1' } },
    { runbooks: [runbookWith(text, '\n    pass: { type: string, writeOnly: true }')], actions: [] },
  )
  expect(candidates).toMatchObject([
    { because: 'inputs_invalid', details: { inputs: { host: 'x', pass: '(masked)', level: '(masked)' } } },
    { inputs: { pass: 'canary-1' }, dedupeKey: expect.stringMatching(/^\(masked\) [0-9a-f]{16}$/) },
  ])
  expect(JSON.stringify(candidates[0])).not.toContain('canary')
})

it.each([
  ['a secret as long as a certificate chain', { text: `canary ${'x'.repeat(40_000)}`, count: 2 }],
  ['a secret that something is named by', { text: 'canary 1', count: 1 }],
])('is taken, and not recorded: %s', (_, { text, count }) => {
  const tokens = Array.from({ length: count }, (__, place) => `${text} ${place}`)
  const body = { tokens, [`session of ${tokens[0]}`]: `opened with ${tokens.at(-1)}` }
  const { event } = evaluateEvent(
    { hook: 'here', id: 'e', type: 'incident', receivedAtMs: 0, body },
    { runbooks: [], actions: [] },
  )
  expect(event.body).toEqual({
    tokens: tokens.map(() => '(masked)'),
    'session of (masked)': 'opened with (masked)',
  })
})

function runbookWith(triggers: string, more = ''): TriggeredRunbook {
  const text = `apiVersion: opsbook/v1
name: case
inputs:
  properties:
    host: { type: string }
    level: { type: integer, default: 1 }
    api_key: { type: string }${more}
  required: [host]
triggers:
${triggers.replaceAll(/^/gm, '  ')}
steps:
  - id: hello
    uses: core/log
    with: { message: hello }
`
  const { plan, diagnostics } = loadRunbook(text, [])
  if (!plan) throw new Error(JSON.stringify(diagnostics))
  return { plan, file: 'case.yaml', text }
}

it('what a trigger gives to a sensitive input is masked in the event, also where another trigger does not', () => {
  const text = `apiVersion: opsbook/v1
name: rotate
inputs:
  type: object
  properties: { pin: { type: string, writeOnly: true }, host: { type: string } }
triggers:
  - { type: incident, with: { host: "\${{ event.host }}" } }
  - type: incident
    with: { pin: "\${{ event.code }}", host: "\${{ event.host }}" }
    dedupe-key: \${{ event.code }}
steps: [{ id: a, uses: core/log, with: { message: x } }]
`
  const { plan } = loadRunbook(text, [])
  if (!plan) throw new Error('the runbook is not valid')
  const body = { host: 'web-01', code: 'k8-4711-x', about: 'the code is k8-4711-x', more: ['K8-4711-X'] }
  const { event, candidates } = evaluateEvent(
    { hook: 'here', id: 'of k8-4711-x', type: 'incident', receivedAtMs: 0, body },
    { runbooks: [{ plan, file: 'rotate.yaml', text }], actions: [] },
  )
  expect(JSON.stringify(event).toLowerCase()).not.toContain('k8-4711')
  expect(event.body).toMatchObject({ host: 'web-01', about: 'the code is (masked)' })
  expect(candidates).toMatchObject([
    { inputs: { host: 'web-01' } },
    { inputs: { pin: 'k8-4711-x' }, dedupeKey: expect.not.stringContaining('4711') },
  ])
})
