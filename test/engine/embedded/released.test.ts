import { expect, it } from 'vitest'
import { systemClock } from '../../../src/engine/attempt/clock.ts'
import { createStage } from './support/stage.ts'

const steps = `  - { id: work, uses: note/make, with: { name: work } }
  - { id: last, uses: note/make, with: { name: last } }
`

it('releases a run that cannot start, since its control requests cannot be read', async () => {
  const stage = createStage()
  const first = await stage.start(steps, {
    onEvent: (event) => {
      if (event.type === 'step_started' && event.path === 'last') first.interrupt()
    },
  })
  await first.result
  stage.calls.splice(0)
  const handle = await stage.reopen(first.runId)
  stage.execute('ALTER TABLE control_requests RENAME TO elsewhere')
  expect(await handle.result).toMatchObject({ status: 'interrupted', error: { code: 'DataDirUnusable' } })
  stage.execute('ALTER TABLE elsewhere RENAME TO control_requests')
  expect(stage.calls).toEqual([])
  expect(stage.reader().readRun(first.runId)?.status).toBe('interrupted')
  expect((await stage.resume(first.runId)).status).toBe('succeeded')
  expect(stage.calls).toEqual(['create last'])
})

it('gives a run out of hand when the engine itself throws at its end', async () => {
  const stage = createStage()
  let isBroken = false
  stage.answer = ({ name }) => {
    isBroken = name === 'last'
    return { name }
  }
  const clock = {
    ...systemClock,
    now() {
      if (isBroken) throw new Error('the clock is broken')
      return systemClock.now()
    },
  }
  const handle = await stage.start(steps, { clock })
  await expect(handle.result).rejects.toThrow('the clock is broken')
  isBroken = false
  stage.answer = ({ name }) => ({ name })
  expect(stage.reader().readRun(handle.runId)?.status).toBe('interrupted')
  // The result of its last create is not recorded, so a person resolves it: no process owns the run any more.
  await expect(stage.resume(handle.runId)).resolves.toMatchObject({ status: 'unknown' })
})
