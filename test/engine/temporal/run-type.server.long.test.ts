import { expect, inject, onTestFinished, test } from 'vitest'
import { listRuns } from '../../../src/engine/temporal/client/list-runs.ts'
import { openStage, type Stage } from './support/open-stage.ts'

async function open(): Promise<Stage> {
  const stage = await openStage(inject('temporalAddress'))
  onTestFinished(() => stage.close())
  return stage
}

const names = ['one', 'two'].map((name) => `type-${name}-${process.pid}`)

test('the workflow type of a run names its runbook, in each of its executions', async () => {
  const stage = await open()
  const { client, compile, start } = stage
  const looks = Array.from({ length: 6 }, (_, index) => ({
    id: `look_${index}`,
    uses: 'monit/tools/catalog',
    with: { target_locator: 'web-01' },
  }))
  const types = new Map<string, Set<string>>()
  for (const name of names) {
    const { runId, result } = await start(compile({ name, steps: looks }), { mostEvents: 12 })
    expect((await result).status).toBe('succeeded')
    const query = `WorkflowId = '${runId}'`
    // The list of the server lags behind.
    await expect.poll(async () => (await client.workflow.count(query)).count).toBeGreaterThan(1)
    const found = new Set<string>()
    for await (const { type } of client.workflow.list({ query })) found.add(type)
    types.set(name, found)
  }
  expect(types).toEqual(new Map(names.map((name) => [name, new Set([`runbook/${name}`])])))
  for (const runbook of names)
    await expect
      .poll(async () => (await listRuns(stage, { runbook })).map((run) => run.runbook))
      .toEqual([runbook])
  const all = (await listRuns(stage, {})).map(({ runbook }) => runbook)
  expect(all).toEqual(expect.arrayContaining(names))
})
