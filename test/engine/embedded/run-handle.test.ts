import type { TimedRunEvent } from 'opsbook'
import { expect, it } from 'vitest'
import { createStage } from './support/stage.ts'

const head = 'apiVersion: opsbook/v1\nname: test\nsteps:\n'
const step = (id: string, action: string): string =>
  `  - { id: ${id}, uses: note/${action}, with: { name: ${id} } }\n`
const tidy = `finally:\n${step('tidy', 'put')}`

it('delivers every event to a caller that listens from the start', async () => {
  const stage = createStage()
  const handle = await stage.start(step('first', 'read'))
  const seen: TimedRunEvent[] = []
  for await (const event of handle.events) seen.push(event)
  expect(seen).toEqual(stage.events)
  expect(seen[0]).toMatchObject({ type: 'run_started', run_id: handle.runId })
  expect(seen.at(-1)).toMatchObject({ type: 'run_finished', status: 'succeeded' })
  // After the end there is nothing to wait for.
  for await (const _ of handle.events) throw new Error('there is nothing left')
})

it('gives each listener all events, however slow it is', async () => {
  const stage = createStage()
  const handle = await stage.start(`${step('first', 'read')}${step('second', 'read')}`)
  const take = async (isSlow: boolean): Promise<string[]> => {
    const types: string[] = []
    for await (const { type } of handle.events) {
      types.push(type)
      if (isSlow) await handle.result
    }
    return types
  }
  const [slow, quick] = await Promise.all([take(true), take(false)])
  expect(slow).toEqual(quick)
  expect(slow).toHaveLength(stage.events.length)
})

it('stops without clean-up when it is interrupted, which comes with the resumed run', async () => {
  const stage = createStage()
  const handle = await stage.start(`${head}  - { id: pause, uses: core/wait, with: { for: 1h } }\n${tidy}`)
  for await (const { type } of handle.events) if (type === 'waiting') handle.interrupt()
  expect(await handle.result).toMatchObject({ status: 'interrupted', error: { code: 'Interrupted' } })
  expect(stage.calls).toEqual([])
  const again = await stage.reopen(handle.runId)
  for await (const { type } of again.events) if (type === 'waiting') again.cancel()
  expect((await again.result).status).toBe('cancelled')
  expect(stage.calls).toEqual(['idempotent tidy'])
})
