import { type Decision, RunbookError } from 'opsbook'
import { expect, it } from 'vitest'
import { systemUserNamed } from '../../support/identity.ts'
import { createStage, type Stage } from './support/stage.ts'

const steps = `  - { id: made, uses: note/make, with: { name: made } }
  - { id: after, uses: note/make, with: { name: "after \${{ steps.made.outputs.name }}" } }
`

/** A run whose create has an unknown outcome. */
async function unknown(stage: Stage): Promise<string> {
  stage.answer = ({ name }) => {
    if (name === 'made') throw new RunbookError('ConnectionLost', 'the answer was lost')
    return { name }
  }
  const { run_id } = await stage.run(steps)
  stage.answer = ({ name }) => ({ name })
  stage.calls.splice(0)
  return run_id
}

function decide(stage: Stage, runId: string, decision: Decision, by = 'ada') {
  const outputs = decision === 'succeeded' ? { outputs: { name: `said ${by}` } } : {}
  return stage.decide(runId, 'made', decision, { by: systemUserNamed(by), replaces: true, ...outputs })
}

const followed: Readonly<Record<Decision, { readonly status: string; readonly calls: readonly string[] }>> = {
  succeeded: { status: 'succeeded', calls: ['create after said bob'] },
  failed: { status: 'failed', calls: [] },
  retry: { status: 'succeeded', calls: ['create made', 'create after made'] },
}
const all = ['succeeded', 'failed', 'retry'] as const

it.each(all.flatMap((first) => all.map((second) => [first, second] as const)))(
  'counts as if it had been the only one: %s, then %s',
  async (first, second) => {
    const stage = createStage()
    const runId = await unknown(stage)
    await decide(stage, runId, first)
    expect(await decide(stage, runId, second, 'bob')).toEqual([])
    const report = await stage.resume(runId)
    expect({ status: report.status, calls: stage.calls }).toEqual(followed[second])
    expect(stage.reader().readRun(runId)?.decisions).toMatchObject([
      { decision: first, by: systemUserNamed('ada'), error: { code: 'ConnectionLost' } },
      { decision: second, by: systemUserNamed('bob'), error: { code: 'ConnectionLost' } },
    ])
  },
)

it.each(all)('corrects %s where the process had died before anything was known', async (first) => {
  const stage = createStage()
  const runId = await unknown(stage)
  stage.loseCalls()
  const before = stage.rows('SELECT * FROM attempts')
  await decide(stage, runId, first)
  await decide(stage, runId, 'retry', 'bob')
  expect(stage.rows('SELECT * FROM attempts')).toMatchObject(
    before.map((row) => ({ ...row, superseded: -2 })),
  )
  expect((await stage.resume(runId)).status).toBe('succeeded')
  expect(stage.calls).toEqual(['create made', 'create after made'])
})

it.each(['retry', 'succeeded'] as const)(
  'corrects a decision that the run has not used, also after a resume: failed, then %s',
  async (second) => {
    const stage = createStage()
    const runId = await unknown(stage)
    await decide(stage, runId, 'failed')
    expect((await stage.resume(runId)).status).toBe('failed')
    expect(stage.calls).toEqual([])
    expect(await decide(stage, runId, second, 'bob')).toEqual([])
    const report = await stage.resume(runId)
    expect({ status: report.status, calls: stage.calls }).toEqual(followed[second])
  },
)

it('corrects outputs that an expression could not work with', async () => {
  const stage = createStage()
  const runId = await unknown(stage)
  const found = (outputs: { name?: string }) =>
    stage.decide(runId, 'made', 'succeeded', { replaces: true, outputs })
  await found({})
  expect(await stage.resume(runId)).toMatchObject({ status: 'failed', error: { code: 'ExpressionFailed' } })
  await found({ name: 'found' })
  expect((await stage.resume(runId)).status).toBe('succeeded')
  expect(stage.calls).toEqual(['create after found'])
})

it.each(all)(
  'corrects outputs that the next call refused before it sent anything: then %s',
  async (second) => {
    const stage = createStage()
    const runId = await unknown(stage)
    await decide(stage, runId, 'succeeded')
    stage.answer = () => {
      throw new RunbookError('InvalidInput', 'no such name', { notSent: true })
    }
    expect(await stage.resume(runId)).toMatchObject({ status: 'failed', error: { code: 'InvalidInput' } })
    stage.answer = ({ name }) => ({ name })
    stage.calls.splice(0)
    expect(await decide(stage, runId, second, 'bob')).toEqual([])
    expect({ status: (await stage.resume(runId)).status, calls: stage.calls }).toEqual(followed[second])
  },
)

it('refuses after a call that may have sent something in an earlier process', async () => {
  const stage = createStage()
  const runId = await unknown(stage)
  await decide(stage, runId, 'succeeded')
  stage.answer = () => {
    throw new RunbookError('InvalidInput', 'no such name', { notSent: true })
  }
  expect((await stage.resume(runId)).status).toBe('failed')
  stage.execute(
    `UPDATE attempts SET error = json_set(error, '$.mayHaveExecuted', json('true')) WHERE path = 'after'`,
  )
  await expect(decide(stage, runId, 'failed', 'bob')).rejects.toMatchObject({ code: 'InvalidInput' })
})

it.each([
  { first: 'succeeded', status: 'failed', message: 'resume RUN --repeat made' },
  { first: 'succeeded', status: 'succeeded', message: 'has succeeded' },
] as const)('refuses once the run has used it and $status', async ({ first, status, message }) => {
  const stage = createStage()
  const runId = await unknown(stage)
  await decide(stage, runId, first)
  if (status === 'failed')
    stage.answer = () => {
      throw new RunbookError('AccessDenied', 'no')
    }
  expect((await stage.resume(runId)).status).toBe(status)
  const attempts = stage.rows('SELECT * FROM attempts')
  await expect(decide(stage, runId, 'retry', 'bob')).rejects.toMatchObject({
    code: 'InvalidInput',
    message: expect.stringContaining(message.replace('RUN', runId)),
  })
  expect(stage.rows('SELECT * FROM attempts')).toEqual(attempts)
  expect(stage.rows('SELECT * FROM decisions')).toHaveLength(1)
})

it('refuses while a process carries the run on', async () => {
  const stage = createStage()
  const runId = await unknown(stage)
  await decide(stage, runId, 'succeeded')
  const handle = await stage.reopen(runId)
  await expect(decide(stage, runId, 'failed', 'bob')).rejects.toMatchObject({ code: 'RunInUse' })
  expect((await handle.result).status).toBe('succeeded')
})
