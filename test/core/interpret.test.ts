import { describe, expect, it } from 'vitest'
import { interpret } from '../../src/core/interpret.ts'
import { createScriptedHost, createVirtualClock, type ObservedRun } from '../../src/testing/index.ts'
import type { RunCase } from '../conformance/run-case.ts'
import { testActions } from '../conformance/test-actions.ts'
import { loadCase, playCase } from './play-case.ts'

// What a run means is data: test/cases/run. Here is what data cannot say.

async function play(runCase: RunCase): Promise<ObservedRun> {
  const { plan, inputs } = loadCase(runCase)
  if (!plan) throw new Error('the runbook is refused')
  return (await playCase(runCase, plan, inputs)).seen
}

describe('a run', () => {
  it('fails where the host has a defect', async () => {
    const { plan } = loadCase({ name: '', runbook: 'steps: [{ id: a, uses: test/read }]\n' })
    if (!plan) throw new Error('the runbook is refused')
    const clock = createVirtualClock(0)
    const world = {
      actions: testActions,
      answer() {
        throw new TypeError('oops')
      },
    }
    const facts = { id: 'run_1', started_at: '1970-01-01T00:00:00.000Z' }
    const outcome = await clock.run(interpret(plan, {}, facts, createScriptedHost(world, clock)))
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'InternalDefect', message: 'oops' } })
  })

  it('reports what was received for an unknown outcome', async () => {
    const outcome = await play({
      name: '',
      runbook: 'steps: [{ id: a, uses: test/write, retry: { attempts: 2 } }]\n',
      answers: { a: [{ error: 'ConnectionLost' }, { error: 'ResourceNotFound' }] },
    })
    expect(outcome.error).toMatchObject({
      code: 'OutcomeUnknown',
      details: { errors: [{ code: 'ConnectionLost' }, { code: 'ResourceNotFound' }] },
    })
  })

  it('counts no attempt that was not made, since the time of the step was over', async () => {
    const runbook = 'steps: [{ id: a, timeout: 10s, uses: test/read, retry: { attempts: 5, delay: 20s } }]\n'
    const given = { name: '', runbook, answers: { a: { error: 'ConnectionLost' } } }
    const { plan, inputs } = loadCase(given)
    if (!plan) throw new Error('the runbook is refused')
    const { host } = await playCase(given, plan, inputs)
    const finished = host.events.find((event) => event.type === 'step_finished' && event.path === 'a')
    expect(finished).toMatchObject({ status: 'failed', attempts: 1 })
  })

  it('reports for a skipped step the condition and what it read', async () => {
    const runbook =
      'inputs: { type: object, properties: { n: { type: integer, default: 1 } } }\n' +
      'steps: [{ id: s, uses: core/set, with: { x: { y: 7 } } }, { id: a, if: "${{ inputs.n > steps.s.outputs.x.y }}", uses: test/read }]\n'
    const { plan, inputs } = loadCase({ name: '', runbook })
    if (!plan) throw new Error('the runbook is refused')
    const { host } = await playCase({ name: '', runbook }, plan, inputs)
    const skipped = host.events.find((event) => event.type === 'step_finished' && event.path === 'a')
    expect(skipped).toMatchObject({
      condition: 'inputs.n > steps.s.outputs.x.y',
      values: { 'inputs.n': 1, 'steps.s.outputs.x.y': 7 },
    })
  })
})
