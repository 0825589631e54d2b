import { join } from 'node:path'
import { answerQuestion, type JsonObject } from 'opsbook'
import { describe, expect, it } from 'vitest'
import { systemUserNamed } from '../../support/identity.ts'
import { type Child, callsIn, startChild } from './support/child.ts'
import { createStage, type Stage } from './support/stage.ts'

type OnConflict = 'skip' | 'reject'

const made = '  - { id: made, uses: note/make, with: { name: made } }\n'
const pause = '  - { id: pause, uses: core/wait, with: { for: 1h } }\n'
const ask = '  - { id: ask, uses: core/approve, with: { message: Continue? } }\n'

/** A runbook of which one run at a time is active for each host. */
function alone(onConflict: OnConflict, steps: string): string {
  return `apiVersion: opsbook/v1
name: test
inputs: { type: object, properties: { host: { type: string, default: web-01 } } }
concurrency: { key: "\${{ inputs.host }}", on-conflict: ${onConflict} }
steps:
${steps}`
}

const host = (name = 'web-01'): { readonly inputs: JsonObject } => ({ inputs: { host: name } })

/** A run in a process of its own that has emitted an event. */
async function inChild(
  stage: Stage,
  text: string,
  type: string,
): Promise<{ readonly child: Child; readonly runId: string; readonly report: () => Promise<unknown> }> {
  const child = startChild({
    dataDir: stage.dataDir,
    callsFile: join(stage.dataDir, 'calls.txt'),
    text,
    ...host(),
  })
  const { run_id } = await child.line(({ type }) => type === 'run_started')
  await child.line((line) => line['type'] === type)
  return { child, runId: String(run_id), report: () => child.line(({ type }) => type === 'report') }
}

it('starts one run when three processes begin at the same instant, and all report its end', async () => {
  const stage = createStage()
  const callsFile = join(stage.dataDir, 'calls.txt')
  const gate = '  - { id: gate, uses: core/approve, with: { message: All there? } }\n'
  const job = { dataDir: stage.dataDir, callsFile, text: alone('skip', `${gate}${made}`), ...host() }
  const children = [startChild(job), startChild(job), startChild(job)]
  const asked = await Promise.all(children.map((one) => one.line(({ type }) => type === 'waiting')))
  const [runId] = asked.map(({ run_id }) => String(run_id))
  const answer = { approved: true, by: systemUserNamed('ada') }
  await answerQuestion({ dataDir: stage.dataDir, runId: String(runId), step: 'gate', answer })
  const reports = await Promise.all(children.map((one) => one.line(({ type }) => type === 'report')))
  expect(reports.map(({ run_id, status }) => [run_id, status])).toEqual(Array(3).fill([runId, 'succeeded']))
  expect(callsIn(callsFile)).toEqual(['create made'])
  expect(stage.rows('SELECT concurrency_key, has_key FROM runs')).toEqual([
    { concurrency_key: 'web-01', has_key: 1 },
  ])
})

it('refuses a second start with the id of the active run, until that one has ended', async () => {
  const stage = createStage()
  const text = alone('reject', `${ask}${made}`)
  const first = await stage.start(text, host())
  await expect(stage.start(text, host())).rejects.toMatchObject({
    code: 'ConcurrencyConflict',
    notSent: true,
    details: { run_id: first.runId, key: 'web-01' },
  })
  const other = await stage.start(text, host('web-02'))
  other.cancel()
  await other.result
  first.cancel()
  await first.result
  const next = await stage.start(text, host())
  next.cancel()
  expect((await next.result).status).toBe('cancelled')
  expect(stage.rows('SELECT count(*) AS runs FROM runs')).toEqual([{ runs: 3 }])
})

it('says which run is followed in the place of a new one', async () => {
  const stage = createStage()
  const first = await stage.start(alone('skip', `${pause}${made}`), host())
  const said: string[] = []
  const second = await stage.start(alone('skip', `${pause}${made}`), {
    ...host(),
    say: (text) => said.push(text),
  })
  expect(second).toMatchObject({ runId: first.runId, isJoined: true })
  expect(said).toEqual([`joins ${first.runId}, which runs with the same concurrency key "web-01"`])
  const third = await stage.start(alone('skip', `${pause}${made}`), {
    inputs: { host: 'web-01', more: 1 },
    say: (text) => said.push(text),
  })
  expect(said[1]).toBe(`${said[0]}; it has other inputs; yours are ignored`)
  for (const one of [second, third]) {
    one.interrupt()
    await expect(one.result).rejects.toMatchObject({ code: 'Interrupted' })
  }
  first.cancel()
  await first.result
})

it('refuses a start while a run of the key is queued, and no process has claimed it yet', async () => {
  const stage = createStage()
  const first = await stage.start(alone('reject', `${pause}${made}`), host())
  first.interrupt()
  await first.result
  stage.execute(
    "UPDATE runs SET status = 'running', owner = NULL, is_queued = 1, has_key = 0, ended_at = NULL",
  )
  await expect(stage.start(alone('reject', made), host())).rejects.toMatchObject({
    code: 'ConcurrencyConflict',
    details: { run_id: first.runId },
  })
})

it('starts where the process of the run that has the key has died, and leaves that run as it is', async () => {
  const stage = createStage()
  const { child, runId } = await inChild(stage, alone('reject', `${pause}${made}`), 'waiting')
  await child.kill()
  expect((await stage.run(alone('reject', made), host())).status).toBe('succeeded')
  expect(stage.reader().readRun(runId)).toMatchObject({ status: 'interrupted', control_requests: [] })
})

describe('a run that is resumed', () => {
  const reject = alone('reject', `${ask}${made}`)

  it('needs its key: another run may have it by now', async () => {
    const stage = createStage()
    const { child, runId } = await inChild(stage, reject, 'waiting')
    await child.kill()
    const other = await stage.start(reject, host())
    const conflict = { code: 'ConcurrencyConflict', details: { run_id: other.runId } }
    await expect(stage.resume(runId)).rejects.toMatchObject(conflict)
    other.interrupt()
    await other.result
    const resumed = await stage.reopen(runId)
    await expect(stage.resume(other.runId)).rejects.toMatchObject({ code: 'ConcurrencyConflict' })
    await expect(stage.start(reject, host())).rejects.toMatchObject({ code: 'ConcurrencyConflict' })
    resumed.cancel()
    expect((await resumed.result).status).toBe('cancelled')
  })

  it('continues as the only one of those that are resumed together', async () => {
    const stage = createStage()
    const runIds: string[] = []
    for (let made = 0; made < 2; made++) {
      const { child, runId } = await inChild(stage, reject, 'waiting')
      await child.kill()
      runIds.push(runId)
    }
    const settled = await Promise.allSettled(runIds.map((runId) => stage.reopen(runId)))
    expect(settled.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    for (const one of settled) {
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'ConcurrencyConflict' })
      else one.value.interrupt()
      if (one.status === 'fulfilled') await one.value.result
    }
  })

  it('continues with the key of its new inputs', async () => {
    const stage = createStage()
    const first = await stage.start(reject, host())
    await expect.poll(() => stage.events.map(({ type }) => type)).toContain('waiting')
    first.interrupt()
    await first.result
    const other = await stage.start(reject, host())
    const moved = await stage.reopen(first.runId, { changes: { inputs: { host: 'web-02' } } })
    await expect(stage.start(reject, host('web-02'))).rejects.toMatchObject({
      details: { run_id: first.runId },
    })
    for (const handle of [other, moved]) {
      handle.cancel()
      await handle.result
    }
  })
})

it('takes no notice of what runbooks say that steps run', async () => {
  const stage = createStage()
  stage.children['child.yaml'] = alone('reject', made).replace('name: test', 'name: child')
  const item = '  - { id: nested, uses: core/run, with: { runbook: child.yaml } }\n'
  const first = await stage.start(stage.children['child.yaml'].replace(made, ask), host())
  expect((await stage.run(item)).status).toBe('succeeded')
  first.cancel()
  await first.result
})

it('starts nothing where the key cannot be made', async () => {
  const stage = createStage()
  const text = alone('skip', made).replace('inputs.host', "{'a': 1}[inputs.host]")
  await expect(stage.start(text, host())).rejects.toMatchObject({
    code: 'InvalidInput',
    message: expect.stringContaining('concurrency.key: '),
  })
})
