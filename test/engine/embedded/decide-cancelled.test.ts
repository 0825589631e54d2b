/** A run is cancelled after its process died in the middle of a create: one decision ends it as cancelled. */
import { decideOutcome } from 'opsbook'
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

/** The journal and the status are those that a killed process leaves behind. */
async function cancelledInCreate(stage: Stage): Promise<string> {
  const { run_id: runId } = await stage.run(steps)
  stage.execute(`
    DELETE FROM attempts WHERE path <> 'ticket';
    UPDATE attempts SET ended_at = NULL, ended_position = NULL, output = NULL, waited = NULL;
    DELETE FROM steps WHERE path <> 'ticket';
    UPDATE steps SET status = 'running', ended_at = NULL;
    UPDATE runs SET status = 'running', outputs = NULL, ended_at = NULL, warnings = NULL`)
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
  const { dataDir } = stage
  const verdict = { decision, ...(outputs ? { outputs } : {}), by: ada }
  expect(await decideOutcome({ dataDir, runId, step: 'ticket', ...verdict })).toEqual([])
  stage.events.splice(0)
  const report = await stage.resume(runId)
  expect(report).toMatchObject({ status: 'cancelled', error: { code: 'Cancelled' } })
  expect(stage.calls).toEqual([call])
  expect(stage.events.filter((event) => event.type === 'step_started' && event.path === 'say')).toEqual([])
})

it('refuses to make the call again, and says what to do', async () => {
  const stage = createStage()
  const runId = await cancelledInCreate(stage)
  const again = { dataDir: stage.dataDir, runId, step: 'ticket', decision: 'retry', by: ada } as const
  await expect(decideOutcome(again)).rejects.toMatchObject({
    code: 'InvalidInput',
    message: expect.stringContaining('is being cancelled'),
    next: expect.stringContaining('--as failed'),
  })
  expect(stage.reader().readRun(runId)).toMatchObject({ status: 'unknown', decisions: [] })
})
