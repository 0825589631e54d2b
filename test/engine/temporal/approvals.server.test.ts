import { checkInputs, defineAction, type JsonObject, type Plan } from 'opsbook'
import { afterAll, beforeAll, beforeEach, expect, inject, it } from 'vitest'
import type { QuestionRecord } from '../../../src/core/record/index.ts'
import type { Engine } from '../../../src/engine/index.ts'
import { openChanges, resumeRun } from '../../../src/engine/temporal/client/resume-run.ts'
import { openTemporalEngine } from '../../../src/engine/temporal/client/temporal-engine.ts'
import { systemUserNamed } from '../../support/identity.ts'
import { openStage, type Stage } from './support/open-stage.ts'

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
let stage: Stage
let engine: Engine
beforeAll(async () => {
  stage = await openStage(inject('temporalAddress'), [note])
  const { client, taskQueue, dataDir } = stage
  engine = openTemporalEngine({ client, taskQueue, dataDir, loadActions: async () => [note] })
})
afterAll(() => stage.close())
beforeEach(() => void sent.splice(0))

const teams = Array.from({ length: 50 }, (_, index) => index + 1)
const numbers: JsonObject = {
  type: 'object',
  required: ['teams'],
  properties: { teams: { type: 'array', items: { type: 'integer' } } },
}
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
    const { questions } = (await engine.readRunState(runId).catch(() => undefined)) ?? { questions: [] }
    return questions.find((one) => one.path === path && one.status === 'open')
  }
  await expect.poll(find).toBeDefined()
  const question = await find()
  if (!question) throw new Error('it is no longer open')
  return question
}

const ended = (runId: string): Promise<unknown> => stage.client.workflow.getHandle(runId).result()
const answer = (runId: string, step: string, approved: boolean): Promise<unknown> =>
  engine.answerQuestion(runId, { step }, { approved, by: ada })

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

it('sends nothing of a loop of 50 items that has changed since the yes, names what differs, and asks again', async () => {
  const plan = stage.compile({
    inputs: numbers,
    steps: [
      ask,
      { id: 'stop', uses: 'core/assert', with: { that: ['${{ inputs.teams[0] != 1 }}'] } },
      each('${{ inputs.teams }}'),
    ],
  })
  const { runId, result } = await stage.start(plan, { inputs: { teams }, approve: 'all' })
  expect((await result).status).toBe('failed')
  const changed = teams.map((team, index) => (index === 0 ? 100 : index === 3 ? 99 : team))
  const { client, taskQueue } = stage
  const resume = { client, taskQueue, runId, by: ada }
  const looked = { ...resume, actions: [note], checkInputs }
  await (await openChanges({ ...looked, changes: { inputs: { teams: changed } } })).begin()
  const question = await asked(runId, 'ask')
  expect(question.covers).toMatchObject({
    calls: [{ step: 'each', count: 50 }],
    again: {
      question: 'ask',
      changes: [
        { path: 'each[0]', field: 'n', was: 1, is: 100 },
        { path: 'each[3]', field: 'n', was: 4, is: 99 },
      ],
    },
  })
  expect(sent).toEqual([])
  await answer(runId, 'ask', false)
  await ended(runId).catch(() => {})
  expect((await engine.readRun(runId))?.error).toMatchObject({ code: 'ApprovalRejected', path: 'ask' })
  expect(sent).toEqual([])
  await resumeRun(resume)
  await asked(runId, 'ask')
  await answer(runId, 'ask', true)
  expect(await ended(runId)).toMatchObject({ status: 'succeeded' })
  expect(sent.toSorted((a, b) => Number(a) - Number(b))).toEqual(changed.toSorted((a, b) => a - b))
  // The record keeps who answered what the step asked before.
  const { questions = [] } = (await engine.readRun(runId)) ?? {}
  expect(
    questions.map(({ is_superseded = false, answers }) => [is_superseded, answers[0]?.approved]),
  ).toEqual([
    [true, true],
    [true, false],
    [false, true],
  ])
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
      expect((await engine.readRun(runId))?.error).toMatchObject({ code: 'ApprovalRejected', path: 'each' })
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
