import { RunbookError } from 'opsbook'
import { expect, it } from 'vitest'
import { systemUserNamed } from '../../support/identity.ts'
import { createStage, type Stage } from './support/stage.ts'

const steps = `  - { id: body, uses: note/read, with: { name: body } }
finally:
  - { id: ticket, uses: note/make, with: { name: ticket } }
  - { id: sweep, uses: note/put, with: { name: sweep } }
`

/** A run whose body failed, and whose clean-up has an unknown outcome. */
async function failedUnresolved(stage: Stage): Promise<string> {
  stage.answer = ({ name }) => {
    if (name === 'body') throw new RunbookError('ResourceNotFound', 'it is not there')
    if (name === 'ticket') throw new RunbookError('ConnectionLost', 'the answer was lost')
    return { name }
  }
  const { run_id, status } = await stage.run(steps)
  expect(status).toBe('unknown')
  stage.answer = ({ name }) => ({ name })
  stage.calls.splice(0)
  return run_id
}

it('does the rest of the clean-up when a run is cancelled whose clean-up has an unknown outcome', async () => {
  const stage = createStage()
  const runId = await failedUnresolved(stage)
  const report = await stage.resume(runId, { cancel: { by: systemUserNamed('ada') } })
  expect(report).toMatchObject({
    status: 'failed',
    error: { code: 'ResourceNotFound' },
    steps: [
      { status: 'failed' },
      { path: 'ticket', status: 'cancelled' },
      { path: 'sweep', status: 'succeeded' },
    ],
  })
  expect(stage.calls).toEqual(['idempotent sweep'])
  // The record keeps why it is unknown.
  const [{ error } = {}] = stage.rows("SELECT error FROM attempts WHERE path = 'ticket'")
  expect(JSON.parse(String(error))).toMatchObject({
    code: 'Cancelled',
    message: expect.stringContaining('whether note/make was executed: the answer was lost'),
    cause: { code: 'ConnectionLost', message: 'the answer was lost' },
  })
})

it.each([
  ['succeeded', ['read body', 'create ticket', 'idempotent sweep']],
  ['failed', ['read body', 'create ticket', 'idempotent sweep']],
  ['retry', ['read body', 'create ticket', 'idempotent sweep']],
] as const)('continues with all of its clean-up once a user has decided: %s', async (decision, calls) => {
  const stage = createStage()
  const runId = await failedUnresolved(stage)
  await stage.resume(runId, { cancel: { by: systemUserNamed('ada') } })
  stage.calls.splice(0)
  await expect(stage.resume(runId)).rejects.toMatchObject({
    code: 'OutcomeUnknown',
    message: expect.stringContaining('ticket'),
  })
  expect(stage.calls).toEqual([])
  await stage.decide(runId, 'ticket', decision)
  expect((await stage.resume(runId)).status).toBe('succeeded')
  expect(stage.calls).toEqual(calls)
})

it('can be changed once a user has decided', async () => {
  const stage = createStage()
  const runId = await failedUnresolved(stage)
  await stage.resume(runId, { cancel: { by: systemUserNamed('ada') } })
  const changes = { inputs: { other: 1 } }
  await expect(stage.resume(runId, { changes })).rejects.toMatchObject({ code: 'OutcomeUnknown' })
  await stage.decide(runId, 'ticket', 'failed')
  expect((await stage.resume(runId, { changes })).status).toBe('succeeded')
})
