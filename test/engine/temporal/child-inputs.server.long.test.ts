import { expect, inject, onTestFinished, test } from 'vitest'
import { openStage } from './support/open-stage.ts'

test('the worker of a run checks the inputs of a runbook that a step runs: no worker for calls is needed', async () => {
  const stage = await openStage(inject('temporalAddress'), [], { role: 'runs' })
  onTestFinished(() => stage.close())
  const child = {
    inputs: {
      type: 'object',
      required: ['n'],
      properties: { n: { type: 'number' }, of: { type: 'string', default: 'ten' } },
    },
    steps: [{ id: 'say', uses: 'core/set', with: { text: '${{ string(inputs.n) + " of " + inputs.of }}' } }],
    outputs: { text: '${{ steps.say.outputs.text }}' },
  }
  const run = (n: string) => ({
    id: 'child',
    uses: 'core/run',
    with: { runbook: 'child.yaml', inputs: { n } },
  })
  const plan = stage.compile(
    {
      inputs: { type: 'object', required: ['n'], properties: { n: {} } },
      steps: [run('${{ inputs.n }}')],
      outputs: { text: '${{ steps.child.outputs.text }}' },
    },
    { 'child.yaml': child },
  )
  const good = await stage.start(plan, { inputs: { n: 1 } })
  expect(await good.result).toMatchObject({ status: 'succeeded', outputs: { text: '1 of ten' } })
  const bad = await stage.start(plan, { inputs: { n: 'one' } })
  expect(await bad.result).toMatchObject({ status: 'failed', error: { code: 'InvalidInput', path: 'child' } })
})
