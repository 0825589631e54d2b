import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openEventStore, readCallbackKey } from '../../../src/engine/embedded/index.ts'
import { isCallbackToken } from '../../../src/engine/record/index.ts'
import { createStage, type Stage } from './support/stage.ts'

const steps = `  - { id: order, uses: note/make, with: { name: "\${{ run.callbacks.built }}" } }
  - { id: say, uses: core/log, with: { message: "\${{ run.callbacks.built }}" } }
  - { id: built, uses: core/listen, with: { callback: built, timeout: 1m } }
  - { id: check, uses: core/assert, with: { that: ["\${{ steps.built.outputs.event.ok }}"] } }
`
const publicUrl = 'https://ops.test/opsbook'

function addressOf(stage: Stage): string {
  return stage.calls.at(-1)?.split(' ')[1] ?? ''
}

async function send(stage: Stage, runId: string, body: { ok: boolean }): Promise<void> {
  const store = openEventStore({ dataDir: stage.dataDir })
  const hook = `callbacks/${runId}/built`
  const event = { hook, id: `e-${body.ok}`, type: 'callback', receivedAtMs: Date.now(), body }
  await store.evaluation({ event, candidates: [] })
  await store.close()
}

it('gives a step an address whose token only this data directory can make, and shows it nowhere', async () => {
  const stage = createStage()
  const run = await stage.start(steps, { publicUrl })
  await expect.poll(() => stage.calls.length).toBe(1)
  const address = addressOf(stage)
  const token = address.split('/').at(-1) ?? ''
  expect(address).toBe(`${publicUrl}/callbacks/${run.runId}/built/${token}`)
  const key = readCallbackKey(stage.dataDir) ?? ''
  expect(isCallbackToken(key, run.runId, 'built', token)).toBe(true)
  expect(statSync(join(stage.dataDir, 'callback.key')).mode & 0o777).toBe(0o600)
  await send(stage, run.runId, { ok: true })
  const report = await run.result
  expect(report.status).toBe('succeeded')
  const shown = stage.events.map((event) => JSON.stringify({ ...event, sensitive: [] }))
  expect(JSON.stringify(report) + shown.join('')).not.toContain(token)
  expect(shown.join('')).toContain(`/callbacks/${run.runId}/built/(masked)`)
  expect(stage.events).toMatchObject([
    { type: 'run_started', sensitive: [token] },
    ...Array(stage.events.length - 1).fill({}),
  ])
})

it('keeps the address when the configuration changes', async () => {
  const stage = createStage()
  const run = await stage.start(steps, { publicUrl })
  await expect.poll(() => stage.calls.length).toBe(1)
  await send(stage, run.runId, { ok: false })
  expect(await run.result).toMatchObject({ status: 'failed', error: { code: 'AssertionFailed' } })
  const changes = {
    plan: stage.plan(
      `${steps}  - { id: more, uses: note/make, with: { name: "\${{ run.callbacks.built }}" } }\n`.replace(
        'outputs.event.ok',
        "status == 'succeeded'",
      ),
    ),
  }
  const first = addressOf(stage)
  expect(await stage.resume(run.runId, { changes, publicUrl: 'https://other.test' })).toMatchObject({
    status: 'succeeded',
  })
  // The first call was not made again, and the second one got the same address.
  expect(stage.calls).toEqual([`${stage.calls[0]}`, stage.calls[0]])
  expect(addressOf(stage)).toBe(first)
})

it('refuses a run whose callback has no address, before anything is recorded', async () => {
  const stage = createStage()
  await expect(stage.start(steps)).rejects.toMatchObject({ code: 'NoPublicUrl' })
  expect(stage.calls).toEqual([])
})

it('makes one key, whoever comes first', async () => {
  const stage = createStage()
  const runs = await Promise.all([1, 2, 3].map(() => stage.start(steps, { publicUrl })))
  const key = readFileSync(join(stage.dataDir, 'callback.key'), 'utf8')
  expect(key).toMatch(/^[0-9a-f]{64}$/)
  for (const { runId } of runs) await send(stage, runId, { ok: true })
  for (const run of runs) expect(await run.result).toMatchObject({ status: 'succeeded' })
})

it('says of a run whether a step could still take an event', async () => {
  const stage = createStage()
  const run = await stage.start(steps, { publicUrl })
  const store = openEventStore({ dataDir: stage.dataDir })
  expect(await store.hasEnded(run.runId)).toBe(false)
  expect(await store.hasEnded('run_of_nobody')).toBe(true)
  await send(stage, run.runId, { ok: false })
  await run.result
  // It can be resumed.
  expect(await store.hasEnded(run.runId)).toBe(false)
  stage.execute("UPDATE runs SET status = 'succeeded'")
  expect(await store.hasEnded(run.runId)).toBe(true)
  expect(await store.readEvent(`callbacks/${run.runId}/built/e-false`)).toMatchObject({ event_id: 'e-false' })
  await store.close()
})
