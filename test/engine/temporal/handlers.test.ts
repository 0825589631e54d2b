import { expect, it } from 'vitest'
import {
  answerUpdate,
  attemptSignal,
  controlUpdate,
  lateSignal,
} from '../../../src/engine/temporal/messages.ts'
import { systemUserNamed } from '../../support/identity.ts'
import { createEngineClock } from '../conformance/engine-clock.ts'
import { encode } from './isolate/payloads.ts'
import { playRunbook } from './isolate/play-runbook.ts'
import { isolateOfFile } from './support/isolate-of-file.ts'

const isolate = isolateOfFile()

const startMs = Date.parse('2026-11-22T09:00:00Z')
const by = systemUserNamed('somebody')

/** A run that asks a person. */
async function startAsking() {
  const clock = createEngineClock(startMs)
  const workflow = await playRunbook({
    isolate,
    clock,
    name: 'asks',
    steps: [{ id: 'ok', uses: 'core/approve', with: { message: 'Go on?' } }],
    runActivity: async () => ({ completed: { result: encode(null) } }),
  })
  return { clock, workflow }
}

it.each([null, 7, 'x', {}])('%j in place of a message stops no run', async (message) => {
  const { clock, workflow } = await startAsking()
  const outcome = await clock.run(
    (async () => {
      for (const name of [attemptSignal, lateSignal]) await workflow.signal(name, message)
      await expect(workflow.update(controlUpdate, null)).rejects.toMatchObject({ type: 'InternalDefect' })
      await expect(workflow.update(answerUpdate, message)).rejects.toMatchObject({
        type: expect.stringMatching(/InternalDefect|InvalidInput/),
      })
      await workflow.update(answerUpdate, { step: 'ok', approved: true, by })
      return workflow.result
    })(),
  )
  await workflow.dispose()
  expect(outcome).toMatchObject({ status: 'succeeded' })
})
