import { expect, inject, test } from 'vitest'
import { readRunState } from '../../../src/engine/temporal/client/read-run.ts'
import { connectClient } from '../../../src/engine/temporal/index.ts'
import { openStage } from './support/open-stage.ts'

test('a question that a worker takes along when it ends is asked again', async () => {
  const address = inject('temporalAddress')
  const first = await openStage(address)
  const { taskQueue } = first
  const steps = [{ id: 'set', uses: 'core/set', with: { a: 1 } }]
  const { runId, result } = await first.start(first.compile({ steps }))
  await result
  await first.close()
  const client = await connectClient({ address, namespace: 'default', taskQueue })
  const poll = { namespace: 'default', taskQueue: { name: taskQueue }, identity: 'ends before it answers' }
  const taken = client.withDeadline(Date.now() + 30_000, () =>
    client.workflowService.pollWorkflowTaskQueue(poll),
  )
  const standing = readRunState(runId, { client, taskQueue })
  expect((await taken).query?.queryType).toBeTruthy()
  const second = await openStage(address, [], { taskQueue })
  expect(await standing).toMatchObject({ status: 'succeeded' })
  await second.close()
  await client.connection.close()
})
