import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { callsIn, startChild } from './support/child.ts'
import { createStage } from './support/stage.ts'

const steps = '  - { id: made, uses: note/make, with: { name: made } }\n'
const pause = '  - { id: pause, uses: core/wait, with: { for: 1h } }\n'

it('never starts a second run with one key: it answers with the first', async () => {
  const stage = createStage()
  const first = await stage.start(steps, { key: 'today' })
  const report = await first.result
  stage.events.splice(0)
  const second = await stage.start(steps, { key: 'today' })
  expect(second).toMatchObject({ runId: first.runId, isJoined: true })
  expect(await second.result).toEqual(report)
  expect(stage.calls).toEqual(['create made'])
  expect(stage.events.map(({ type }) => type)).toEqual([
    'run_started',
    'step_started',
    'attempt_started',
    'attempt_succeeded',
    'step_finished',
    'run_finished',
  ])
  expect(stage.reader().findRunByKey('today')).toBe(first.runId)
  expect(stage.rows('SELECT count(*) AS runs FROM runs')).toEqual([{ runs: 1 }])
})

it('starts one run when two processes begin with one key, and both report its end', async () => {
  const stage = createStage()
  const callsFile = join(stage.dataDir, 'calls.txt')
  const text = `apiVersion: opsbook/v1\nname: test\nsteps:\n${steps}`
  const job = { dataDir: stage.dataDir, callsFile, text, key: 'today' }
  const children = [startChild(job), startChild(job), startChild(job)]
  const reports = await Promise.all(children.map((one) => one.line(({ type }) => type === 'report')))
  expect(new Set(reports.map(({ run_id }) => run_id)).size).toBe(1)
  expect(reports.map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'succeeded'])
  expect(callsIn(callsFile)).toEqual(['create made'])
})

it('waits for the end of a run that another process executes, and can stop waiting', async () => {
  const stage = createStage()
  const callsFile = join(stage.dataDir, 'calls.txt')
  const text = `apiVersion: opsbook/v1\nname: test\nsteps:\n${steps}`
  const child = startChild({ dataDir: stage.dataDir, callsFile, text, key: 'today', hangs: ['made'] })
  await child.line(({ type }) => type === 'called')
  const left = await stage.start(steps, { key: 'today' })
  for await (const { type } of left.events) if (type === 'attempt_started') left.interrupt()
  await expect(left.result).rejects.toMatchObject({ code: 'Interrupted' })
  const waiting = await stage.start(steps, { key: 'today' })
  await child.kill()
  expect(await waiting.result).toMatchObject({ run_id: left.runId, status: 'interrupted' })
  expect(callsIn(callsFile)).toEqual(['create made'])
})

it('leaves no rejection behind when the result of an abandoned run is not read', async () => {
  const stage = createStage()
  const unhandled: unknown[] = []
  const note = (reason: unknown): void => void unhandled.push(reason)
  process.on('unhandledRejection', note)
  onTestFinished(() => void process.off('unhandledRejection', note))
  const first = await stage.start(pause, { key: 'today' })
  const second = await stage.start(pause, { key: 'today' })
  for await (const { type } of second.events) if (type === 'waiting') second.interrupt()
  await new Promise((resolve) => setImmediate(resolve))
  expect(unhandled).toEqual([])
  first.interrupt()
  await first.result
})

it.each([
  ['other inputs', 'test', { a: 1 }, 'with other inputs'],
  ['another runbook', 'other', {}, 'of the runbook test'],
])('refuses the key of a run with %s', async (_, name, inputs, said) => {
  const stage = createStage()
  await stage.run(steps, { key: 'today' })
  const text = `apiVersion: opsbook/v1\nname: ${name}\ninputs: { type: object, additionalProperties: true }\nsteps:\n${steps}`
  await expect(stage.start(text, { key: 'today', inputs })).rejects.toMatchObject({
    code: 'InvalidInput',
    message: expect.stringContaining(said),
  })
})
