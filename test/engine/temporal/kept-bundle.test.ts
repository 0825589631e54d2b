import { expect, it } from 'vitest'
import { keepBundle } from '../../../src/engine/temporal/worker/kept-bundle.ts'
import { workflowBundle } from '../../../src/engine/temporal/worker/workflow-bundle.ts'

it('the workflows are bundled once for each state of the sources', async () => {
  const first = await workflowBundle()
  const again = await keepBundle(() => Promise.reject(new Error('it is bundled again')))
  expect(again).toEqual(first)
})
