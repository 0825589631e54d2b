/** The attack: one person answers twice, or answers what they started, under another spelling or in another way. */
import { answerQuestion, RunbookError } from 'opsbook'
import { expect, test } from 'vitest'
import type { Identity } from '../../src/core/events.ts'
import { createStage, type Stage } from '../engine/embedded/support/stage.ts'

const person = (name: string, id?: string): Identity => ({
  name,
  source: 'console',
  verified: true,
  ...(id === undefined ? {} : { id }),
})

const steps = `
  - { id: check, uses: note/read, with: { name: check } }
  - { id: ask, uses: core/approve, with: { message: "Go with \${{ inputs.n }}?", from: { not-starter: true } } }
`

/** A run that asks. */
async function asking(stage: Stage, runId: string): Promise<(by: Identity) => Promise<unknown>> {
  await expect.poll(() => stage.rows("SELECT 1 FROM questions WHERE status = 'open'")).toHaveLength(1)
  return (by) =>
    answerQuestion({ dataDir: stage.dataDir, runId, step: 'ask', answer: { approved: true, by } })
}

test('who resumed a run with other inputs may not approve them', async () => {
  const stage = createStage()
  stage.answer = () => {
    throw new RunbookError('ResourceNotFound', 'not yet')
  }
  const { run_id } = await stage.run(steps, { inputs: { n: 1 } })
  stage.answer = ({ name }) => ({ name })
  const resumed = await stage.reopen(run_id, { by: person('ada'), changes: { inputs: { n: 'evil' } } })
  const answer = await asking(stage, run_id)
  for (const name of ['ada', 'ADA', 'Ａda'])
    await expect(answer(person(name))).rejects.toMatchObject({
      code: 'InvalidInput',
      message: expect.stringContaining(`${name} started or changed the run, and may not answer`),
    })
  await answer(person('eve'))
  expect(await resumed.result).toMatchObject({ status: 'succeeded' })
})

test('who said what a call has answered may not approve what comes of it', async () => {
  const stage = createStage()
  const lost = (error: string) => () => {
    throw new RunbookError('OutcomeUnknown', error)
  }
  stage.answer = lost('the connection broke')
  const made = '  - { id: made, uses: note/make, with: { name: made } }'
  const { run_id, status } = await stage.run(`${made}${steps}`, { inputs: { n: 1 } })
  expect(status).toBe('unknown')
  await stage.decide(run_id, 'made', 'succeeded', { by: person('ada'), outputs: { name: 'evil' } })
  stage.answer = ({ name }) => ({ name })
  const resumed = await stage.reopen(run_id, { by: person('ada') })
  const answer = await asking(stage, run_id)
  await expect(answer(person('ADA'))).rejects.toThrow('ADA started or changed the run, and may not answer')
  await answer(person('eve'))
  expect(await resumed.result).toMatchObject({ status: 'succeeded' })
})

test('who triggered a schedule by hand may not approve its run', async () => {
  const stage = createStage()
  const handle = await stage.start(steps, { inputs: { n: 1 } })
  // As a schedule that a person triggers records it: the run is of the schedule, the time of the person.
  stage.execute(`UPDATE runs SET started_from = '{"kind":"schedule","schedule":"a","trigger":0}';
    INSERT INTO schedule_fires (schedule, at, decided_at, run_id, started_by)
    SELECT 'a', 1, 1, id, '${JSON.stringify(person('ada', 'https://id.example.com 1'))}' FROM runs`)
  const answer = await asking(stage, handle.runId)
  await expect(answer(person('otherwise', 'https://id.example.com 1'))).rejects.toThrow('may not answer')
  await answer(person('root'))
  expect(await handle.result).toMatchObject({ status: 'succeeded' })
})

test('a name with an invisible character answers nothing', async () => {
  const stage = createStage()
  const handle = await stage.start(steps, { inputs: { n: 1 } })
  const answer = await asking(stage, handle.runId)
  await expect(answer(person('bo\u200db'))).rejects.toThrow('the invisible character U+200D')
  await answer(person('eve'))
  await handle.result
})
