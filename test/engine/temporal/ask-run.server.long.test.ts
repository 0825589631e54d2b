import { expect, inject, onTestFinished, test } from 'vitest'
import { readRunState } from '../../../src/engine/temporal/client/read-run.ts'
import { talkToRun } from '../../../src/engine/temporal/client/talk-to-run.ts'
import { connectClient } from '../../../src/engine/temporal/index.ts'
import { stateQuery } from '../../../src/engine/temporal/messages.ts'
import { countingClient } from './support/counting-client.ts'
import { openStage } from './support/open-stage.ts'
import { openWay } from './support/open-way.ts'

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

test('a server that is slow is waited for: it is not taken for one that is away', async () => {
  const stage = await openStage(inject('temporalAddress'))
  onTestFinished(() => stage.close())
  const steps = [{ id: 'set', uses: 'core/set', with: { a: 1 } }]
  const { runId, result } = await stage.start(stage.compile({ steps }))
  await result
  const way = await openWay(inject('temporalAddress'))
  const { taskQueue } = stage
  const { client, requests } = await countingClient(way.address)
  way.hold(true)
  const handle = client.workflow.getHandle(runId)
  const asked = talkToRun(runId, { client, taskQueue }, () => handle.query(stateQuery))
  // It looks for the workers, and looks again once it had no answer: each time for those of runs, and of calls.
  const looks = () => requests.filter((method) => method === 'DescribeTaskQueue').length
  await expect.poll(looks).toBeGreaterThan(2)
  way.hold(false)
  expect(await asked).toMatchObject({ status: 'ended' })
})
