import type { RunHandle, RunReport } from 'opsbook'
import { expect, it } from 'vitest'
import { createEngineClock } from '../conformance/engine-clock.ts'
import { createStage, type Stage } from './support/stage.ts'

/** A stage with time of its own, on which one call takes as long as it is told to. */
function createTimedStage() {
  const stage = createStage()
  const clock = createEngineClock(Date.UTC(2026, 0, 1))
  const takes: Record<string, number> = {}
  stage.answer = async ({ name }) => {
    await clock.waitUntil(clock.now() + (takes[name] ?? 0) * 1000)
    return { name }
  }
  const end = (begin: Promise<RunHandle>, interruptAt?: string): Promise<RunReport> =>
    clock.run(
      (async () => {
        const handle = await begin
        for await (const event of handle.events)
          if (event.type === 'waiting' && event.path === interruptAt) handle.interrupt()
        return handle.result
      })(),
    )
  return {
    stage,
    /** How many seconds calls take from now on, by their names. */
    takes,
    run: (steps: string, interruptAt?: string) => end(stage.start(steps, { clock }), interruptAt),
    resume: (runId: string, interruptAt?: string) => end(stage.reopen(runId, { clock }), interruptAt),
  }
}

/** What is called from now on. */
function forget({ calls }: Stage): void {
  calls.splice(0)
}

it('remembers that a read was cut off by the limit of its step: what followed from it follows again', async () => {
  const { stage, takes, run, resume } = createTimedStage()
  takes['look'] = 60
  const steps = `
  - { id: look, uses: note/read, with: { name: look }, timeout: 10s, continue-on-error: true }
  - { id: bad, uses: note/make, with: { name: bad }, if: "\${{ steps.look.status == 'failed' }}" }
  - { id: good, uses: note/make, with: { name: good }, if: "\${{ steps.look.status == 'succeeded' }}" }
  - { id: pause, uses: core/wait, with: { for: 1h } }
`
  const { run_id } = await run(steps, 'pause')
  expect(stage.calls).toEqual(['read look', 'create bad'])
  forget(stage)
  takes['look'] = 1
  expect(await resume(run_id)).toMatchObject({
    status: 'succeeded',
    warnings: [{ code: 'StepTimeout', path: 'look' }],
    steps: [{ status: 'failed' }, { status: 'succeeded' }, { status: 'skipped' }, {}],
  })
  expect(stage.calls).toEqual([])
})
