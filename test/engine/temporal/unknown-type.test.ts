import { expect, onTestFinished, test } from 'vitest'
import { createIsolate } from './isolate/create-isolate.ts'

test('a workflow of an unknown type is no run', async () => {
  const isolate = await createIsolate()
  const workflow = await isolate.create('somethingElse', 'one', 0)
  const begin = { initializeWorkflow: { workflowType: 'somethingElse', workflowId: 'one', arguments: [] } }
  const told = { jobs: [begin as never], timeMs: 0, historyLength: 3 }
  onTestFinished(async () => {
    await workflow.dispose()
    await isolate.close()
  })
  await expect(workflow.tell(told)).rejects.toThrow('no workflow of the type somethingElse is registered')
})
