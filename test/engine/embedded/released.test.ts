import { expect, it } from 'vitest'
import { createStage } from './support/stage.ts'

const steps = `  - { id: work, uses: note/make, with: { name: work } }
  - { id: last, uses: note/make, with: { name: last } }
`

it('gives a run out of hand that cannot be begun, since nobody can say what is wanted of it', async () => {
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
