import { expect, inject, onTestFinished, test } from 'vitest'
import { sendControlRequest } from '../../../src/engine/temporal/client/control-run.ts'
import { readHistory } from '../../../src/engine/temporal/client/read-history.ts'
import { answerUpdate } from '../../../src/engine/temporal/messages.ts'
import { systemUserNamed } from '../../support/identity.ts'
import { makeCurrent } from './support/make-current.ts'
import { openStage, type Stage } from './support/open-stage.ts'

const name = `versions-${process.pid}`

async function openBuild(buildId: string): Promise<Stage> {
  const stage = await openStage(inject('temporalAddress'), [], {
    taskQueue: name,
    deployment: { name, buildId },
  })
  onTestFinished(() => stage.close())
  return stage
}

/** Starts a run, and resolves with its id once it asks. */
async function startAsking({ compile, start }: Stage): Promise<string> {
  const steps = [
    { id: 'ask', uses: 'core/approve', with: { message: 'Go on?' } },
    { id: 'look', uses: 'monit/tools/catalog', with: { target_locator: 'web-01' } },
  ]
  const run = await start(compile({ steps }))
  for await (const event of run.events) if (event.type === 'waiting') break
  return run.runId
}

/** The builds whose workers have run tasks of a run, and how it has ended. */
async function endOf({ client }: Stage, runId: string): Promise<object> {
  const handle = client.workflow.getHandle(runId)
  await handle.result().catch(() => {})
  const builds = new Set<string | null | undefined>()
  for await (const { workflowTaskCompletedEventAttributes: task } of readHistory(client, runId, undefined))
    if (task) builds.add(task.deploymentVersion?.buildId)
  return { status: (await handle.describe()).status.name, builds: [...builds] }
}

test('a run stays with the build that it began with, and the old one can go when its runs have ended', async () => {
  const old = await openBuild('1')
  await makeCurrent(old.client, name, '1')
  const first = await startAsking(old)
  const next = await openBuild('2')
  await makeCurrent(next.client, name, '2')
  const second = await startAsking(next)
  const third = await startAsking(next)

  const order = { step: 'ask', approved: true, by: systemUserNamed('somebody') }
  const { workflow } = next.client
  await workflow.getHandle(first).executeUpdate(answerUpdate, { args: [order] })
  expect(await endOf(next, first)).toEqual({ status: 'COMPLETED', builds: ['1'] })
  await old.stopWorker()
  await workflow.getHandle(second).executeUpdate(answerUpdate, { args: [order] })
  expect(await endOf(next, second)).toEqual({ status: 'COMPLETED', builds: ['2'] })
  // Its child workflows run on its own build, too.
  await sendControlRequest(third, next, { kind: 'cancel', by: systemUserNamed('somebody') })
  expect(await endOf(next, third)).toEqual({ status: 'CANCELLED', builds: ['2'] })
})
