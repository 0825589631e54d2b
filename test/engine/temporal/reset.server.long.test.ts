import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { decideRun } from '../../../src/engine/temporal/client/decide-run.ts'
import { readStart } from '../../../src/engine/temporal/client/read-history.ts'
import { resumeRun } from '../../../src/engine/temporal/client/resume-run.ts'
import { systemUserNamed } from '../../support/identity.ts'
import { stageOfFile } from './support/stage-of-file.ts'

const stage = stageOfFile()
const by = systemUserNamed('somebody')

const create = (id: string) => ({
  id,
  uses: 'rum/application/create',
  with: { application_name: `\${{ run.id + "-${id}" }}`, type: 'browser', team_id: 0 },
})
const steps = [
  create('one'),
  create('two'),
  { id: 'ok', uses: 'core/approve', with: { message: 'Go on?' } },
  create('three'),
]

/** How many creates of a run have reached the service. */
async function created(runId: string): Promise<number> {
  const response = await fetch(`${stage.sandboxUrl}/_sandbox/requests?limit=1000`)
  const { requests } = (await response.json()) as { requests: readonly object[] }
  return requests.map((one) => JSON.stringify(one)).filter((one) => one.includes(`${runId}-`)).length
}

async function statusOf(runId: string): Promise<string | undefined> {
  return (await stage.engine.readRunState(runId))?.status
}

/** The executions of a run that have continued as new, in their order. */
async function continuedOf(runId: string): Promise<readonly string[]> {
  const { continued } = await readStart(stage.client, runId)
  return (continued?.executions ?? []).map((one) => one.runId)
}

/** Resets an execution of a run to its first task; by default the open or last one. */
async function reset(runId: string, of?: string): Promise<void> {
  const execution = of ?? (await stage.client.workflow.getHandle(runId).describe()).runId
  await stage.client.workflowService.resetWorkflowExecution({
    namespace: stage.settings.namespace,
    workflowExecution: { workflowId: runId, runId: execution },
    reason: 'test',
    // It takes a number, too.
    workflowTaskFinishEventId: 4 as never,
    requestId: randomUUID(),
  })
}

/** Decides as a person, resumes the run, and resolves once it has this state. */
async function decide(
  runId: string,
  step: string,
  decision: 'succeeded' | 'retry',
  next: string,
): Promise<void> {
  const options = { client: stage.client, runId, taskQueue: stage.taskQueue, by }
  await decideRun(options, runId, step, { decision, by })
  await resumeRun(options)
  await expect.poll(() => statusOf(runId)).toBe(next)
}

const yes = { approved: true, by }

it('a run that was reset to its first task repeats no create, until a person decides', async () => {
  const { runId } = await stage.start(stage.compile({ steps }))
  await expect.poll(() => statusOf(runId)).toBe('waiting')
  expect(await created(runId)).toBe(2)
  await reset(runId)
  await expect.poll(() => statusOf(runId)).toBe('unknown')
  expect(await created(runId)).toBe(2)
  const run = await stage.engine.readRun(runId)
  expect(run?.error?.message).toContain('the run was reset on the server')
  const logged = [...(await stage.engine.readEvents(runId))].flatMap(({ event }) =>
    event.type === 'logged' ? [event] : [],
  )
  expect(logged).toMatchObject([{ level: 'warn', message: expect.stringContaining('was reset') }])
  // The executions after it know that it was reset, too.
  await decide(runId, 'one', 'succeeded', 'unknown')
  expect(await created(runId)).toBe(2)
  await decide(runId, 'two', 'retry', 'waiting')
  expect(await created(runId)).toBe(3)
  await stage.engine.answerQuestion(runId, { step: 'ok' }, yes)
  await expect.poll(() => statusOf(runId)).toBe('succeeded')
  expect(await created(runId)).toBe(4)
}, 90_000)

it('without what ran before the reset, every create has an unknown outcome', async () => {
  const { runId } = await stage.start(stage.compile({ steps: steps.slice(2) }))
  await expect.poll(() => statusOf(runId)).toBe('waiting')
  const { runId: before } = await stage.client.workflow.getHandle(runId).describe()
  await reset(runId)
  await stage.client.workflowService.deleteWorkflowExecution({
    namespace: stage.settings.namespace,
    workflowExecution: { workflowId: runId, runId: before },
  })
  const isThere = () =>
    stage.client.workflow
      .getHandle(runId, before)
      .describe()
      .then(() => true)
      .catch(() => false)
  await expect.poll(isThere).toBe(false)
  const answer = () => stage.engine.answerQuestion(runId, { step: 'ok' }, yes)
  await expect.poll(() => answer().then(() => 'answered', String)).toBe('answered')
  await expect.poll(() => statusOf(runId)).toBe('unknown')
  expect(await created(runId)).toBe(0)
}, 90_000)

it('a run that was reset twice repeats no create, not even one that a person had repeated', async () => {
  const { runId } = await stage.start(stage.compile({ steps }))
  await expect.poll(() => statusOf(runId)).toBe('waiting')
  await reset(runId)
  await expect.poll(() => statusOf(runId)).toBe('unknown')
  await decide(runId, 'one', 'succeeded', 'unknown')
  await decide(runId, 'two', 'retry', 'waiting')
  expect(await created(runId)).toBe(3)
  await reset(runId)
  await expect.poll(() => statusOf(runId)).toBe('unknown')
  expect(await created(runId)).toBe(3)
  await decide(runId, 'two', 'succeeded', 'waiting')
  await stage.engine.answerQuestion(runId, { step: 'ok' }, yes)
  await expect.poll(() => statusOf(runId)).toBe('succeeded')
  expect(await created(runId)).toBe(4)
}, 90_000)

const manyCreates = [
  {
    id: 'each',
    'for-each': { items: Array.from({ length: 12 }, (_, n) => n), as: 'item' },
    steps: [
      {
        ...create('inner'),
        with: { application_name: '${{ run.id + "-" + string(item) }}', type: 'browser', team_id: 0 },
      },
    ],
  },
  { id: 'ok', uses: 'core/approve', with: { message: 'Go on?' } },
]

it.each([
  { name: 'in its last execution', which: -1 },
  { name: 'in its first execution', which: 0 },
  { name: 'in an execution between them', which: 1 },
])(
  'a run that continued as new and was reset $name repeats no create',
  async ({ which }) => {
    const { runId } = await stage.start(stage.compile({ steps: manyCreates }), { mostEvents: 15 })
    await expect.poll(() => statusOf(runId), { timeout: 30_000 }).toBe('waiting')
    const before = await continuedOf(runId)
    expect(before.length).toBeGreaterThan(2)
    expect(await created(runId)).toBe(12)
    await reset(runId, before[which])
    await expect.poll(async () => (await continuedOf(runId)).length).toBeLessThanOrEqual(before.length)
    await expect.poll(() => statusOf(runId), { timeout: 30_000 }).toBe('unknown')
    expect(await created(runId)).toBe(12)
  },
  90_000,
)

it('a run that was reset after its end asks for its concurrency key again', async () => {
  const ask = { id: 'ok', uses: 'core/approve', with: { message: 'Go on?' } }
  const plan = stage.compile({
    name: 'reset-key',
    concurrency: { key: 'one', 'on-conflict': 'reject' },
    steps: [ask],
  })
  const first = await stage.start(plan)
  await expect.poll(() => statusOf(first.runId)).toBe('waiting')
  await stage.engine.answerQuestion(first.runId, { step: 'ok' }, yes)
  expect((await first.result).status).toBe('succeeded')
  const second = await stage.start(plan)
  await expect.poll(() => statusOf(second.runId)).toBe('waiting')
  await reset(first.runId)
  await expect.poll(() => statusOf(first.runId)).toBe('failed')
  expect((await stage.engine.readRun(first.runId))?.error).toMatchObject({
    code: 'ConcurrencyConflict',
    message: expect.stringContaining(second.runId),
  })
  await stage.engine.answerQuestion(second.runId, { step: 'ok' }, yes)
  expect((await second.result).status).toBe('succeeded')
}, 60_000)
