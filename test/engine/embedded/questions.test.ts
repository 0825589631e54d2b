import { userInfo } from 'node:os'
import { answerQuestion, type Question, type RunHandle } from 'opsbook'
import { describe, expect, it } from 'vitest'
import { systemIdentity } from '../../../src/engine/record/index.ts'
import { systemUserNamed } from '../../support/identity.ts'
import { createStage, type Stage } from './support/stage.ts'

const ask = (more = ''): string =>
  `  - { id: ask, uses: core/approve, with: { message: Continue?${more} } }\n  - { id: after, uses: note/make, with: { name: "by \${{ steps.ask.outputs.by }}" } }\n`

/** Starts a run and waits until it asks. */
async function asking(
  stage: Stage,
  steps = ask(),
  options: Parameters<Stage['start']>[1] = {},
): Promise<RunHandle> {
  const handle = await stage.start(steps, options)
  for await (const event of handle.events) if (event.type === 'waiting') break
  await expect.poll(() => stage.rows('SELECT status FROM questions')).toHaveLength(1)
  return handle
}

/** As another process does it. */
function answerFromElsewhere({ dataDir, rows }: Stage, approved: boolean, shown?: string): Promise<unknown> {
  const [run] = rows('SELECT id FROM runs')
  const answer = { approved, by: systemUserNamed('ada'), comment: 'fine' }
  return answerQuestion({ dataDir, runId: String(run?.['id']), step: 'ask', shown, answer })
}

it('is waiting while a user is asked, and continues with an answer from another process', async () => {
  const stage = createStage()
  const handle = await asking(stage)
  expect(stage.reader().readRun(handle.runId)).toMatchObject({
    status: 'waiting',
    questions: [{ path: 'ask', message: 'Continue?', status: 'open' }],
  })
  await answerFromElsewhere(stage, true)
  expect(await handle.result).toMatchObject({ status: 'succeeded' })
  expect(stage.calls).toEqual(['create by ada'])
  expect(stage.events).toContainEqual(
    expect.objectContaining({
      type: 'answered',
      path: 'ask',
      approved: true,
      by: systemUserNamed('ada'),
      comment: 'fine',
    }),
  )
  expect(stage.reader().readRun(handle.runId)?.questions).toMatchObject([
    { status: 'answered', answers: [{ approved: true, by: systemUserNamed('ada'), comment: 'fine' }] },
  ])
})

it('hashes what a yes covers with a key of its own in each run', async () => {
  const stage = createStage()
  const hashOf = async ({ runId, events }: RunHandle): Promise<string | undefined> => {
    for await (const event of events) if (event.type === 'waiting') break
    await expect.poll(() => stage.reader().readRun(runId)?.questions).toHaveLength(1)
    return stage.reader().readRun(runId)?.questions[0]?.covers?.calls[0]?.hash
  }
  const steps = `  - { id: ask, uses: core/approve, with: { message: Continue? } }\n  - { id: after, uses: note/make, with: { name: a } }\n`
  const runs = [await stage.start(steps), await stage.start(steps)]
  const hashes = await Promise.all(runs.map(hashOf))
  expect(hashes).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), expect.stringMatching(/^[0-9a-f]{64}$/)])
  expect(new Set(hashes).size, 'the same call has another hash in each run').toBe(2)
  for (const { runId } of runs)
    await answerQuestion({
      dataDir: stage.dataDir,
      runId,
      step: 'ask',
      answer: { approved: true, by: systemUserNamed('ada') },
    })
  await Promise.all(runs.map(({ result }) => result))
})

it('asks the user of this process, too: the first answer counts', async () => {
  const stage = createStage()
  const asked: Question[] = []
  const signals: AbortSignal[] = []
  const handle = await asking(stage, ask(), {
    onQuestion: (question, signal) => {
      asked.push(question)
      signals.push(signal)
      return new Promise(() => {})
    },
  })
  await answerFromElsewhere(stage, true)
  await handle.result
  expect(asked).toMatchObject([{ path: 'ask', message: 'Continue?', starters: [systemIdentity()] }])
  expect(signals.map(({ aborted }) => aborted)).toEqual([true])
})

it.each([
  ['does not answer', () => Promise.resolve(undefined)],
  ['cannot be asked', () => Promise.reject(new Error('no terminal'))],
])('keeps waiting when the user here %s', async (_, onQuestion) => {
  const stage = createStage()
  const handle = await asking(stage, ask(), { onQuestion })
  await answerFromElsewhere(stage, true)
  expect((await handle.result).status).toBe('succeeded')
})

it('takes an answer from here', async () => {
  const stage = createStage()
  const onQuestion = () =>
    Promise.resolve({ approved: false, by: systemUserNamed('bob'), comment: 'not today' })
  const report = await stage.run(ask(), { onQuestion })
  expect(report).toMatchObject({
    status: 'failed',
    error: { code: 'ApprovalRejected', message: expect.stringContaining('not today') },
  })
})

it('takes no answer from here to a question that is another one by now', async () => {
  const stage = createStage()
  const asked: string[] = []
  const handle = await asking(stage, ask(), {
    onQuestion: async ({ shown }) => {
      asked.push(shown)
      stage.rows(
        "UPDATE questions SET question = json_set(question, '$.shown', '1-0000000000') RETURNING path",
      )
      return { approved: false, by: systemUserNamed('bob') }
    },
  })
  await expect.poll(() => asked).toEqual([expect.stringMatching(/^1-[0-9a-f]{10}$/)])
  await expect(answerFromElsewhere(stage, true, asked[0])).rejects.toThrow('has changed since')
  expect(stage.rows('SELECT status, answers FROM questions')).toEqual([{ status: 'open', answers: '[]' }])
  await answerFromElsewhere(stage, true, '1-0000000000')
  expect((await handle.result).status).toBe('succeeded')
})

it('approves everything where that was said when the run was started, and says in whose name', async () => {
  const stage = createStage()
  const report = await stage.run(ask(), { approve: 'all' })
  expect(report.status).toBe('succeeded')
  expect(stage.events).toContainEqual(
    expect.objectContaining({
      type: 'answered',
      approved: true,
      by: systemUserNamed(userInfo().username),
      comment: expect.stringContaining('approved in advance'),
    }),
  )
})

describe('a question that is open when the process ends', () => {
  it('is the same one, from the same time', async () => {
    const stage = createStage()
    const handle = await asking(stage)
    const before = stage.reader().readRun(handle.runId)?.questions
    handle.interrupt()
    expect((await handle.result).status).toBe('interrupted')
    expect(stage.reader().readRun(handle.runId)).toMatchObject({ status: 'interrupted', questions: before })
    const again = await stage.reopen(handle.runId)
    for await (const event of again.events) if (event.type === 'waiting') break
    await answerFromElsewhere(stage, true)
    expect((await again.result).status).toBe('succeeded')
    expect(stage.reader().readRun(handle.runId)?.questions).toMatchObject([
      { asked_at: before?.[0]?.asked_at },
    ])
  })

  it('can be answered while no process waits for it', async () => {
    const stage = createStage()
    const handle = await asking(stage)
    handle.interrupt()
    await handle.result
    await answerFromElsewhere(stage, true)
    expect((await stage.resume(handle.runId)).status).toBe('succeeded')
  })

  it('has been waited for in the meantime', async () => {
    const stage = createStage()
    const steps = ask(', timeout: 1h, on-timeout: reject')
    const handle = await asking(stage, steps)
    handle.interrupt()
    await handle.result
    stage.rows('UPDATE first_reached SET reached_at = reached_at - 3600000 RETURNING path')
    expect(await stage.resume(handle.runId)).toMatchObject({
      status: 'failed',
      error: { code: 'ApprovalRejected' },
    })
    expect(stage.rows('SELECT status FROM questions')).toEqual([{ status: 'expired' }])
    await expect(answerFromElsewhere(stage, true)).rejects.toThrow('the time for an answer is over')
    expect(stage.rows('SELECT status FROM questions')).toEqual([{ status: 'expired' }])
  })
})

it('is withdrawn when the step that asks is cancelled', async () => {
  const stage = createStage()
  const handle = await asking(stage)
  handle.cancel()
  expect((await handle.result).status).toBe('cancelled')
  expect(stage.rows('SELECT status FROM questions')).toEqual([{ status: 'withdrawn' }])
})

it('says when an answer cannot be recorded', async () => {
  const stage = createStage()
  const handle = await asking(stage, ask(), {
    onQuestion: async () => {
      await expect.poll(() => stage.rows('SELECT status FROM questions')).toHaveLength(1)
      stage.execute(
        "CREATE TRIGGER refuse BEFORE UPDATE ON questions BEGIN SELECT RAISE(FAIL, 'disk is full'); END",
      )
      return { approved: true, by: systemUserNamed('bob') }
    },
  })
  expect(await handle.result).toMatchObject({ status: 'failed', error: { code: 'DataDirUnusable' } })
})
