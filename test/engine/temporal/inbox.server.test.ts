import { expect, test } from 'vitest'
import { groupQuestions } from '../../../src/core/people/index.ts'
import type { WaitingRun } from '../../../src/engine/index.ts'
import { readInbox } from '../../../src/engine/temporal/client/read-inbox.ts'
import { systemUserNamed } from '../../support/identity.ts'
import { stageOfFile } from './support/stage-of-file.ts'

const stage = stageOfFile()

/** The run in the inbox, once the server lists it as waiting. */
async function found(runId: string): Promise<WaitingRun> {
  let run: WaitingRun | undefined
  const find = async () => {
    run = (await stage.engine.readInbox()).runs.find(({ run_id }) => run_id === runId)
    return run
  }
  await expect.poll(find).toBeDefined()
  return run as unknown as WaitingRun
}

test('the questions of items are in the inbox, and answered together or not at all', async () => {
  const ask = { id: 'ok', uses: 'core/approve', with: { message: 'Restart ${{ host }}?' } }
  const loop = { items: ['web-01', 'web-02', 'web-03'], as: 'host', 'max-parallel': 3 }
  const plan = stage.compile({ steps: [{ id: 'hosts', 'for-each': loop, steps: [ask] }] } as never)
  const { runId, result } = await stage.start(plan)
  await expect.poll(async () => (await found(runId)).questions.length).toBe(3)
  const [group] = groupQuestions((await found(runId)).questions)
  const [step, shown] = [group?.step ?? '', group?.shown ?? '']
  const answer = { approved: true, by: systemUserNamed('ada') }
  const wrong = stage.engine.answerQuestion(runId, { step, shown: '3-0000000000' }, answer)
  await expect(wrong).rejects.toMatchObject({
    code: 'InvalidInput',
    message: expect.stringContaining('none was answered'),
  })
  expect((await found(runId)).questions).toHaveLength(3)
  expect(await stage.engine.answerQuestion(runId, { step, shown }, answer)).toMatchObject(
    [0, 1, 2].map((at) => ({ step: `hosts[${at}]/ok`, kind: 'settled' })),
  )
  expect(await result).toMatchObject({ status: 'succeeded' })
})

test('runs that cannot be read in time are named', async () => {
  const plan = stage.compile({
    steps: [{ id: 'ok', uses: 'core/approve', with: { message: 'Go on?' } }],
  } as never)
  const { runId, result } = await stage.start(plan)
  await found(runId)
  const { client, taskQueue } = stage
  const inbox = await readInbox({ client, taskQueue }, { most: 500, atOnce: 4, withinMs: -1 })
  expect(inbox.runs).toEqual([])
  expect(inbox.unread).toContainEqual({ run_id: runId, code: 'Timeout', message: expect.any(String) })
  await stage.engine.answerQuestion(runId, { step: 'ok' }, { approved: true, by: systemUserNamed('ada') })
  await result
})
