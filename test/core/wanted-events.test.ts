import { describe, expect, it } from 'vitest'
import { canBeWanted, wantedFields } from '../../src/core/hooks/index.ts'
import { loadRunbook } from '../../src/load/index.ts'

/** What a run wants whose steps wait with these conditions, of the hook `ci`. */
function wantedBy(...conditions: readonly (string | undefined)[]) {
  const steps = conditions.map((where, at) => {
    const written = where === undefined ? '' : `, where: "\${{ ${where} }}"`
    return `  - { id: s${at}, uses: core/listen, with: { hook: ci, timeout: 1h${written} } }\n`
  })
  const inputs = 'inputs: { properties: { id: { type: string }, n: { type: integer } }, required: [id, n] }\n'
  const text = `apiVersion: opsbook/v1\nname: a\n${inputs}steps:\n${steps.join('')}`
  const { plan, diagnostics } = loadRunbook(text, [])
  if (!plan) throw new Error(JSON.stringify(diagnostics))
  return wantedFields(plan, 'run_1', { id: 'x', n: 7 })['ci']
}

describe('what a run wants of events, as far as it is known at its start', () => {
  it.each([
    ['event.run == run.id', [{ path: ['run'], value: 'run_1' }]],
    ["run.id == event.data['run']", [{ path: ['data', 'run'], value: 'run_1' }]],
    ['event.id == inputs.id && event.ok', [{ path: ['id'], value: 'x' }]],
    ['event.n == inputs.n && event.b && event.c', [{ path: ['n'], value: 7 }]],
    ['event.ok && event.n == inputs.n', undefined],
    ["event.state == 'done'", [{ path: ['state'], value: 'done' }]],
    ["default(event.run, '') == run.id", [{ path: ['run'], value: 'run_1', isOptional: true }]],
    [`event.run == '${'x'.repeat(201)}'`, undefined],
    ["default(event.state, 'done') == 'done'", undefined],
    ['event.run == run.id || event.all', undefined],
    ['event.run != run.id', undefined],
    ['!(event.run == run.id)', undefined],
    ['event.run + "" == run.id', undefined],
    ['event == run.id', undefined],
    ['event.a == event.b', undefined],
    ['event.items[0] == run.id', undefined],
    ['event.a == null', undefined],
    ['true', undefined],
  ])('%s', (condition, expected) => {
    expect(wantedBy(condition.replaceAll('"', "'"))).toEqual(expected)
  })

  it('is known of a hook where it is known of each step', () => {
    const one = { path: ['run'], value: 'run_1' }
    const other = { path: ['id'], value: 'x' }
    expect(wantedBy('event.run == run.id', 'event.id == inputs.id')).toEqual([one, other])
    expect(wantedBy('event.run == run.id', 'event.ok')).toBeUndefined()
    expect(wantedBy('event.ok', 'event.run == run.id')).toBeUndefined()
    expect(wantedBy('event.run == run.id', undefined)).toBeUndefined()
  })
})

it.each([
  [{ run: 'run_1' }, true],
  [{ run: 'run_2', data: { id: 7 } }, true],
  [{ run: 'run_2', data: { id: 8 } }, false],
  [{ run: 'run_2', data: { id: '7' } }, false],
  // The condition fails on these, and the run says so.
  [{ data: { id: 8 } }, true],
  [{ run: 'run_2', data: null }, true],
  [{ run: 'run_2', data: {} }, true],
  [[], true],
  [null, true],
  [undefined, true],
] as const)('an event %j can be wanted: %s', (body, expected) => {
  const wanted = [
    { path: ['run'], value: 'run_1' },
    { path: ['data', 'id'], value: 7 },
  ]
  expect(canBeWanted(body, wanted)).toBe(expected)
  expect(canBeWanted(body, undefined)).toBe(true)
})

it('an event without a field that has a default is not wanted', () => {
  const wanted = [{ path: ['data', 'run'], value: 'run_1', isOptional: true }] as const
  const found = [{}, { data: {} }, { data: { run: 'run_2' } }, { data: 'text' }, { data: { run: 'run_1' } }]
  expect(found.map((body) => canBeWanted(body, wanted))).toEqual([false, false, false, true, true])
})
