import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createActions, type GivenAnswer, loadRunbook } from 'opsbook'
import { expect, inject, it, onTestFinished } from 'vitest'
import { connectClient } from '../../../src/engine/temporal/connection.ts'
import { openTemporalEngine, startRun } from '../../../src/engine/temporal/index.ts'
import { forkProgram, killProcess } from './support/fork-program.ts'

const text = `apiVersion: opsbook/v1
name: two
steps:
  - { id: ok, uses: core/approve, with: { message: Go?, from: { groups: [leads], count: 2 } } }
outputs: { by: "\${{ steps.ok.outputs.answers.map(one, one.by) }}" }
`

function yes(name: string): GivenAnswer {
  return { approved: true, by: { name, source: 'console', verified: true }, groups: ['leads'] }
}

it('keeps the first of two answers when the worker is killed, and takes one second answer', async () => {
  const taskQueue = `people-${process.pid}`
  const dataDir = mkdtempSync(join(tmpdir(), 'opsbook-people-'))
  const client = await connectClient({ address: inject('temporalAddress'), namespace: 'default', taskQueue })
  const openWorker = () =>
    forkProgram('worker-process', [inject('temporalAddress'), taskQueue, 'http://127.0.0.1:1', dataDir])
  let worker = await openWorker()
  onTestFinished(async () => {
    await killProcess(worker)
    rmSync(dataDir, { recursive: true, force: true })
  })
  const { plan } = loadRunbook(text, createActions([]))
  if (!plan) throw new Error('the runbook is refused')
  const run = await startRun({ client, taskQueue, dataDir, plan, inputs: {} })
  const { runId } = run
  const engine = openTemporalEngine({ client, taskQueue, dataDir, loadActions: async () => [] })
  const isAsked = async (): Promise<number | undefined> =>
    (await engine.readRunState(runId).catch(() => undefined))?.questions.length
  await expect.poll(isAsked, { timeout: 60_000 }).toBe(1)
  expect(await engine.answerQuestion(runId, { step: 'ok' }, yes('ada'))).toMatchObject([
    { kind: 'counted', count: 1 },
  ])
  await killProcess(worker)
  worker = await openWorker()
  await expect(engine.answerQuestion(runId, { step: 'ok' }, yes('ada'))).rejects.toThrow(
    '1 of 2; another person',
  )
  const told = await Promise.allSettled(
    ['bob', 'eve'].map((name) => engine.answerQuestion(runId, { step: 'ok' }, yes(name))),
  )
  expect(told.filter(({ status }) => status === 'fulfilled')).toMatchObject([
    { value: [{ kind: 'settled', count: 2 }] },
  ])
  expect(await run.result).toMatchObject({
    status: 'succeeded',
    outputs: { by: [expect.stringMatching('ada'), expect.stringMatching(/bob|eve/)] },
  })
}, 300_000)
