import { defineAction, type JsonObject, type Plan } from 'opsbook'
import { beforeEach, expect, it } from 'vitest'
import type { QuestionRecord } from '../../../src/core/people/question.ts'
import { resumeRun } from '../../../src/engine/temporal/client/resume-run.ts'
import { systemUserNamed } from '../../support/identity.ts'
import { stageOfFile } from './support/stage-of-file.ts'

/** What was sent, by the argument `n`. */
const sent: unknown[] = []

const note = defineAction<{ n: unknown }>({
  name: 'test/create',
  summary: 'Notes what it is given',
  safety: 'create',
  input: { type: 'object', properties: { n: {} }, required: ['n'] },
  output: { type: 'object', properties: {} },
  async run({ n }) {
    sent.push(n)
    return {}
  },
})

const ada = systemUserNamed('ada')
const stage = stageOfFile([note])
beforeEach(() => void sent.splice(0))

const ask = { id: 'ask', uses: 'core/approve', with: { message: 'Create them?' } }
const each = (items: string): JsonObject => ({
  id: 'each',
  'for-each': { items, as: 'team', 'max-parallel': 4 },
  uses: 'test/create',
  with: { n: '${{ team }}' },
})

/** The question that is open now, at that step. */
async function asked(runId: string, path: string): Promise<QuestionRecord> {
  const find = async (): Promise<QuestionRecord | undefined> => {
    const { questions } = (await stage.engine.readRunState(runId).catch(() => undefined)) ?? { questions: [] }
    return questions.find((one) => one.path === path && one.status === 'open')
  }
  await expect.poll(find).toBeDefined()
  const question = await find()
  if (!question) throw new Error('it is no longer open')
  return question
}

const ended = (runId: string): Promise<unknown> => stage.client.workflow.getHandle(runId).result()
const answer = (runId: string, step: string, approved: boolean): Promise<unknown> =>
  stage.engine.answerQuestion(runId, { step }, { approved, by: ada })

it('hashes what a yes covers with a key of its own in each run', async () => {
  const plan = stage.compile({ steps: [ask, { id: 'make', uses: 'test/create', with: { n: 1 } }] })
  const runs = [await stage.start(plan), await stage.start(plan)]
  const questions = await Promise.all(runs.map(({ runId }) => asked(runId, 'ask')))
  const hashes = questions.map(({ covers }) => covers?.calls[0]?.hash)
  expect(hashes).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), expect.stringMatching(/^[0-9a-f]{64}$/)])
  expect(new Set(hashes).size, 'the same call has another hash in each run').toBe(2)
  for (const { runId } of runs) await answer(runId, 'ask', true)
  await Promise.all(runs.map(({ result }) => result))
})

it('asks again after a no to the calls of a loop, and a resume', async () => {
  const plan: Plan = stage.compile({
    steps: [ask, { id: 'now', uses: 'core/time' }, each('${{ [size(steps.now.outputs.at), 2] }}')],
  })
  const { runId } = await stage.start(plan)
  const { client, taskQueue } = stage
  await asked(runId, 'ask')
  await answer(runId, 'ask', true)
  for (const approved of [false, false, true]) {
    const { covers } = await asked(runId, 'each')
    expect(covers?.calls).toMatchObject([{ step: 'each', count: 2 }])
    await answer(runId, 'each', approved)
    const outcome = await ended(runId).catch(() => undefined)
    if (approved) expect(outcome).toMatchObject({ status: 'succeeded' })
    else {
      expect((await stage.engine.readRun(runId))?.error).toMatchObject({
        code: 'ApprovalRejected',
        path: 'each',
      })
      expect(sent).toEqual([])
      await resumeRun({ client, taskQueue, runId, by: ada })
    }
  }
  expect(sent).toHaveLength(2)
})

it('counts one of many answers that arrive at the same instant, refuses the others, and ends', async () => {
  const { runId, result } = await stage.start(stage.compile({ steps: [ask] }))
  await asked(runId, 'ask')
  const given = await Promise.allSettled(
    Array.from({ length: 8 }, (_, n) => answer(runId, 'ask', n % 2 === 0)),
  )
  expect(given.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  for (const one of given)
    if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'InvalidInput' })
  expect(['succeeded', 'failed']).toContain((await result).status)
})
