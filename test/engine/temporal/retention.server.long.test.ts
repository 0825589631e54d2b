import { defineAction } from 'opsbook'
import { expect, it } from 'vitest'
import { readStart } from '../../../src/engine/temporal/client/read-history.ts'
import { stageOfFile } from './support/stage-of-file.ts'

const read = defineAction<{ n: unknown }>({
  name: 'test/read',
  summary: 'Nothing',
  safety: 'read',
  input: { type: 'object', properties: { n: {} }, required: ['n'] },
  output: { type: 'object', properties: {} },
  run: async () => ({}),
})

const stage = stageOfFile([read])

it('a run whose first executions are gone is shown as far as it is kept', async () => {
  const { client, engine } = stage
  const plan = stage.compile({
    steps: [
      { id: 'first', uses: 'test/read', with: { n: 0 } },
      {
        id: 'each',
        'for-each': { items: Array.from({ length: 12 }, (_, n) => n), as: 'item' },
        uses: 'test/read',
        with: { n: '${{ item }}' },
      },
      { id: 'last', uses: 'test/read', with: { n: 1 } },
    ],
  } as never)
  const { runId, result } = await stage.start(plan, { mostEvents: 30 })
  expect(await result).toMatchObject({ status: 'succeeded' })
  const { executions = [] } = (await readStart(client, runId)).continued ?? {}
  expect(executions.length).toBeGreaterThan(1)
  const [gone, next] = executions
  await client.workflowService.deleteWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId: runId, runId: gone?.runId ?? '' },
  })
  const isKept = (execution: string | undefined): Promise<boolean> =>
    client.workflow
      .getHandle(runId, execution)
      .describe()
      .then(
        () => true,
        () => false,
      )
  await expect.poll(() => isKept(gone?.runId), { timeout: 100_000, interval: 500 }).toBe(false)
  const run = await engine.readRun(runId)
  const [first] = await engine.readEvents(runId)
  expect(first?.seq).toBe(next?.firstSeq)
  expect(run).toMatchObject({ status: 'succeeded', kept_from: first?.event.at })
  expect(run?.steps.map(({ path, status }) => [path, status])).toEqual([
    ['first', 'succeeded'],
    ['each', 'succeeded'],
    ['last', 'succeeded'],
  ])
  const followed: number[] = []
  for await (const { seq } of engine.followEvents(runId)) followed.push(seq)
  expect(followed[0]).toBe(next?.firstSeq)
  expect([...(await engine.readAttempts(runId))].at(-1)).toMatchObject({ path: 'last' })
}, 180_000)
