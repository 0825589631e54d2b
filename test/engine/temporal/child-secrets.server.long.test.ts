import { defineAction } from 'opsbook'
import { expect, inject, onTestFinished, test } from 'vitest'
import { openStage } from './support/open-stage.ts'

const echo = defineAction<{ text: string }>({
  name: 'test/echo',
  summary: 'Answer with the text',
  safety: 'read',
  input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  output: { type: 'object', properties: { text: { type: 'string' } } },
  run: async ({ text }) => ({ text }),
})

test('a sensitive input of a runbook that has ended is hidden in later executions of its run', async () => {
  const stage = await openStage(inject('temporalAddress'), [echo])
  onTestFinished(() => stage.close())
  const child = {
    inputs: {
      type: 'object',
      required: ['password'],
      properties: { password: { type: 'string', format: 'password' } },
    },
    steps: [{ id: 'say', uses: 'core/log', with: { message: 'here' } }],
  }
  const plan = stage.compile(
    {
      steps: [
        { id: 'make', uses: 'test/echo', with: { text: 'word-of-the-day' } },
        {
          id: 'child',
          uses: 'core/run',
          with: { runbook: 'child.yaml', inputs: { password: '${{ steps.make.outputs.text }}' } },
        },
        {
          id: 'each',
          'for-each': { items: Array.from({ length: 20 }, (_, index) => index), as: 'item' },
          steps: [{ id: 'inner', uses: 'test/echo', with: { text: '${{ string(item) }}' } }],
        },
        { id: 'last', uses: 'test/echo', with: { text: 'it is ${{ steps.make.outputs.text }}' } },
      ],
      outputs: { made: '${{ steps.make.outputs.text }}', last: '${{ steps.last.outputs.text }}' },
    } as never,
    { 'child.yaml': child },
  )
  const run = await stage.start(plan, { mostEvents: 25 })
  const { status, outputs } = await run.result
  expect({ status, outputs }).toEqual({
    status: 'succeeded',
    outputs: { made: expect.any(String), last: 'it is ***' },
  })
  // The list of the server lags behind.
  const executions = () => stage.client.workflow.count(`WorkflowId = '${run.runId}'`)
  await expect.poll(async () => (await executions()).count).toBeGreaterThan(1)
})
