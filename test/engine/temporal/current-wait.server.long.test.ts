/** What lists say of a waiting run, from the listing of the server alone. */
import { expect, it } from 'vitest'
import { openTemporalEngine } from '../../../src/engine/temporal/client/temporal-engine.ts'
import { systemUserNamed } from '../../support/identity.ts'
import { countingClient } from './support/counting-client.ts'
import { stageOfFile } from './support/stage-of-file.ts'

const stage = stageOfFile()

it('a list says what a waiting run waits for and until when, and nothing of a run that does not wait', async () => {
  const { taskQueue, dataDir } = stage
  const { client, requests } = await countingClient()
  const engine = openTemporalEngine({ client, taskQueue, dataDir, loadActions: async () => [] })
  const runbook = `waits-${taskQueue}`
  const ask = (id: string, timeout: object) => ({
    id,
    uses: 'core/approve',
    with: { message: 'Go?', ...timeout },
  })
  const plan = stage.compile({
    name: runbook,
    steps: [
      { id: 'both', parallel: [ask('late', {}), ask('soon', { timeout: '2h' })] },
      { id: 'built', uses: 'core/listen', with: { hook: 'none', timeout: '3h' } },
    ],
  } as never)
  const { runId, result } = await stage.start(plan)
  const listed = async () => (await engine.listRuns({ runbook }))[0]
  const by = systemUserNamed('ada')
  const answer = (step: string) => engine.answerQuestion(runId, { step }, { approved: true, by })
  const control = (kind: 'pause' | 'cancel') =>
    engine.requestControl(runId, { kind, by, at: new Date().toISOString() } as never)

  await expect.poll(listed).toMatchObject({ current_step: { path: expect.stringMatching(/soon$/) } })
  const { status, current_step: step } = (await listed()) ?? {}
  expect(status).toBe('waiting')
  expect(step).toMatchObject({ reason: 'approval' })
  expect(Date.parse(step?.until ?? '') - Date.parse(step?.since ?? '')).toBe(7_200_000)
  requests.length = 0
  await listed()
  expect(requests).toEqual(['CountWorkflowExecutions', 'ListWorkflowExecutions'])

  await answer('soon')
  const late = { path: expect.stringMatching(/late$/), since: expect.any(String), reason: 'approval' }
  await expect.poll(async () => (await listed())?.current_step).toEqual(late)
  await answer('late')
  await expect
    .poll(listed)
    .toMatchObject({ current_step: { path: 'built', reason: 'event', until: expect.any(String) } })
  await control('pause')
  await expect.poll(listed).toMatchObject({ status: 'paused' })
  expect(await listed()).not.toHaveProperty('current_step')
  await control('cancel')
  await result
  await expect.poll(listed).toMatchObject({ status: 'cancelled' })
  expect(await listed()).not.toHaveProperty('current_step')
})
