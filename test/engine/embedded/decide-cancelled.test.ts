/** A run is cancelled after its process died in the middle of a create: one decision ends it as cancelled. */
import { expect, it } from 'vitest'
import { systemUserNamed } from '../../support/identity.ts'
import { createStage, type Stage } from './support/stage.ts'

const steps = `  - { id: ticket, uses: note/make, with: { name: ticket } }
  - { id: say, uses: core/log, with: { message: made } }
  - { id: next, uses: note/make, with: { name: next } }
finally:
  - { id: sweep, uses: note/put, with: { name: "sweep \${{ default(steps.ticket.outputs.name, 'nothing') }}" } }
`
const ada = systemUserNamed('ada')

async function cancelledInCreate(stage: Stage): Promise<string> {
  const { run_id: runId } = await stage.run(steps)
  stage.execute("DELETE FROM attempts WHERE path <> 'ticket'; DELETE FROM steps WHERE path <> 'ticket'")
  stage.loseCalls()
  stage.calls.splice(0)
  const report = await stage.resume(runId, { cancel: { by: ada } })
  expect(report).toMatchObject({ status: 'unknown', error: { code: 'OutcomeUnknown', path: 'ticket' } })
  return runId
}

it.each([
  { decision: 'succeeded', outputs: { name: 'made' }, call: 'idempotent sweep made' },
  { decision: 'failed', outputs: undefined, call: 'idempotent sweep nothing' },
] as const)('ends as cancelled, with its clean-up: $decision', async ({ decision, outputs, call }) => {
  const stage = createStage()
  const runId = await cancelledInCreate(stage)
  expect(await stage.decide(runId, 'ticket', decision, outputs ? { outputs } : {})).toEqual([])
  stage.events.splice(0)
  const report = await stage.resume(runId)
  expect(report).toMatchObject({ status: 'cancelled', error: { code: 'Cancelled' } })
  expect(stage.calls).toEqual([call])
  expect(stage.events.filter((event) => event.type === 'step_started' && event.path === 'say')).toEqual([])
})

it('refuses to make the call again, and says what to do', async () => {
  const stage = createStage()
  const runId = await cancelledInCreate(stage)
  await expect(stage.decide(runId, 'ticket', 'retry')).rejects.toMatchObject({
    code: 'InvalidInput',
    message: expect.stringContaining('is being cancelled'),
    next: expect.stringContaining('--as failed'),
  })
  expect(stage.reader().readRun(runId)).toMatchObject({ status: 'unknown', decisions: [] })
})
